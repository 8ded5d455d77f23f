! Calls whose places the test looks for by line; with an argument rank 0 waits for ever.
module places
  use mpi
contains
  subroutine step(rank)
    integer, intent(in) :: rank
    integer :: error, value(1)
    value = rank
    if (rank == 0) then
      call MPI_Send(value, 1, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, error) ! line 10
    else
      call MPI_Recv(value, 1, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! line 12
    end if
  end subroutine
end module

program main
  use places
  integer :: error, rank, value(1)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call step(rank)
  call MPI_Barrier(MPI_COMM_WORLD, error) ! line 23
  if (command_argument_count() > 0) then
    call MPI_Recv(value, 1, MPI_INTEGER, 1 - rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! line 25
  end if
  call MPI_Finalize(error)
end program
