! A profiler in Fortran 2008: subroutines that come before those of the library, by the names of the standard. That of
! MPI_Irecv has BIND(C), as its interface in the module has.
subroutine MPI_Send_f08ts(buf, count, datatype, dest, tag, comm, ierror)
  use :: mpi_f08, library => MPI_Send_f08ts
  type(*), dimension(..), intent(in) :: buf
  integer, intent(in) :: count, dest, tag
  type(MPI_Datatype), intent(in) :: datatype
  type(MPI_Comm), intent(in) :: comm
  integer, optional, intent(out) :: ierror
  integer :: calls(4)
  common /profile/ calls
  calls(1) = calls(1) + 1
  call PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
end subroutine

subroutine MPI_Recv_f08ts(buf, count, datatype, source, tag, comm, status, ierror)
  use :: mpi_f08, library => MPI_Recv_f08ts
  type(*), dimension(..) :: buf
  integer, intent(in) :: count, source, tag
  type(MPI_Datatype), intent(in) :: datatype
  type(MPI_Comm), intent(in) :: comm
  type(MPI_Status), target :: status
  integer, optional, intent(out) :: ierror
  integer :: calls(4)
  common /profile/ calls
  calls(2) = calls(2) + 1
  call PMPI_Recv(buf, count, datatype, source, tag, comm, status, ierror)
end subroutine

subroutine MPI_Isend_f08ts(buf, count, datatype, dest, tag, comm, request, ierror)
  use :: mpi_f08, library => MPI_Isend_f08ts
  type(*), dimension(..), asynchronous, intent(in) :: buf
  integer, intent(in) :: count, dest, tag
  type(MPI_Datatype), intent(in) :: datatype
  type(MPI_Comm), intent(in) :: comm
  type(MPI_Request), intent(out) :: request
  integer, optional, intent(out) :: ierror
  integer :: calls(4)
  common /profile/ calls
  calls(3) = calls(3) + 1
  call PMPI_Isend(buf, count, datatype, dest, tag, comm, request, ierror)
end subroutine

subroutine MPI_Irecv_f08ts(buf, count, datatype, source, tag, comm, request, ierror) bind(C, name="mpi_irecv_f08ts_")
  use :: mpi_f08, library => MPI_Irecv_f08ts
  type(*), dimension(..), target :: buf
  integer, intent(in) :: count, source, tag
  type(MPI_Datatype), intent(in) :: datatype
  type(MPI_Comm), intent(in) :: comm
  type(MPI_Request), intent(inout) :: request
  integer, optional, intent(inout) :: ierror
  integer :: calls(4)
  common /profile/ calls
  calls(4) = calls(4) + 1
  call PMPI_Irecv(buf, count, datatype, source, tag, comm, request, ierror)
end subroutine
