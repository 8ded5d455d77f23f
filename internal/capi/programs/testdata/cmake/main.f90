program main
  use mpi
  implicit none
  integer :: rank, ranks, total, code
  double precision :: x(10)
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  x = rank
  call MPI_Bcast(x, 10, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD, code)
  call MPI_Finalize(code)
  if (total /= ranks * (ranks - 1) / 2 .or. ranks /= 3 .or. any(x /= 2)) stop 1
end program
