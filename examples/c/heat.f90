! A rod of metal, hot at one end: each rank computes a part and exchanges borders.
! mpifort -O2 examples/c/heat.f90 -o heat && mpiexec -n 4 ./heat
program heat
  use mpi
  implicit none
  integer, parameter :: cells = 240, steps = 2000
  integer :: rank, ranks, left, right, mine, step, code
  double precision, allocatable :: t(:), next(:)
  double precision :: part, total

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)

  mine = cells / ranks
  if (rank < mod(cells, ranks)) mine = mine + 1
  allocate(t(0:mine+1), next(0:mine+1))
  t = 0
  if (rank == 0) t(0) = 100
  next = t

  do step = 1, steps
     call MPI_Sendrecv(t(1), 1, MPI_DOUBLE_PRECISION, left, 1, &
          t(mine+1), 1, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
     call MPI_Sendrecv(t(mine), 1, MPI_DOUBLE_PRECISION, right, 2, &
          t(0), 1, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
     next(1:mine) = t(1:mine) + 0.4d0 * (t(0:mine-1) - 2 * t(1:mine) + t(2:mine+1))
     t(1:mine) = next(1:mine)
  end do

  part = sum(t(1:mine))
  call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, code)
  if (rank == 0) print '(i0,a,f7.3,a)', ranks, ' ranks: the rod has ', total / cells, ' degrees on average'
  call MPI_Finalize(code)
end program
