! Rank 1 stores beyond an array of which it is not told, in a subroutine.
module place
contains
  subroutine store(a, n)
    integer, volatile :: a(*)
    integer(8), intent(in) :: n
    a(n) = 1 ! the fault
  end subroutine store
end module place

program faults
  use mpi
  use place
  implicit none
  integer :: ierror, rank
  integer, volatile :: a(10)
  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  if (rank == 1) call store(a, 1099511627776_8) ! the beginning
  call MPI_BARRIER(MPI_COMM_WORLD, ierror)
  call MPI_FINALIZE(ierror)
end program faults
