! A library in Fortran that a program loads after that of MPI: its special values are its own.
function run() bind(C) result(wrong)
  use mpi
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer(c_int) :: wrong
  integer :: ierr, number, size, status(MPI_STATUS_SIZE)
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  number = 3
  call MPI_Allreduce(MPI_IN_PLACE, number, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  wrong = 0
  if (number /= 3 * size) wrong = 1
  status = 9
  call MPI_Recv(number, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, status, ierr)
  if (status(MPI_SOURCE) /= MPI_PROC_NULL) wrong = 2
  call MPI_Recv(number, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  if (any(MPI_STATUS_IGNORE /= 0)) wrong = 3
  call MPI_Finalize(ierr)
end function
