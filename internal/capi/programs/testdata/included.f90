! A unit that includes mpif.h. Its special values are those of the module, which binding.f90 uses.
subroutine with_include(number, status)
  implicit none
  include 'mpif.h'
  integer :: number, status(MPI_STATUS_SIZE), ierr
  call MPI_Allreduce(MPI_IN_PLACE, number, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, ierr)
  status = 5
  call MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
  call MPI_Waitall(0, number, MPI_STATUSES_IGNORE, ierr)
  call MPI_Pcontrol(2)
end subroutine
