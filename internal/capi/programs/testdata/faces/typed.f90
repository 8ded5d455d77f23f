! A program of the module mpi_f08 of Open MPI or MPICH, whose library calls ours.
module called
  use mpi_f08
  implicit none
contains
  subroutine add(in, inout, n, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: in, inout
    integer :: n
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    if (datatype /= MPI_INTEGER) stop 10
    call c_f_pointer(in, a, [n])
    call c_f_pointer(inout, b, [n])
    b = a + b
  end subroutine
end module

program typed
  use called
  implicit none
  integer :: rank, size, n, code, value(3)
  type(MPI_Status) :: status, statuses(2)
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: comm
  type(MPI_Op) :: op
  type(MPI_Datatype) :: triple
  type(MPI_Info) :: info
  character(len=20) :: text
  character(len=MPI_MAX_OBJECT_NAME) :: name
  logical :: flag
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Type_contiguous(3, MPI_INTEGER, triple)
  call MPI_Type_commit(triple)
  value = rank
  if (rank == 0) call MPI_Send(value, 1, triple, size - 1, 7, MPI_COMM_WORLD)
  if (rank == size - 1) then
    call MPI_Recv(value, 1, triple, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status)
    call MPI_Get_count(status, MPI_INTEGER, n)
    if (status%MPI_SOURCE /= 0 .or. status%MPI_TAG /= 7 .or. n /= 3 .or. value(3) /= 0) stop 1
  end if
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Irecv(value(1), 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, requests(1))
  call MPI_Irecv(value(2), 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, statuses)
  if (requests(1) /= MPI_REQUEST_NULL .or. statuses(2)%MPI_SOURCE /= MPI_PROC_NULL) stop 2
  call MPI_Op_create(add, .true., op)
  value = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, value, 3, MPI_INTEGER, op, MPI_COMM_WORLD, code)
  if (any(value /= size * (size + 1) / 2) .or. code /= MPI_SUCCESS) stop 3
  call MPI_Op_free(op)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, comm)
  call MPI_Comm_set_name(comm, 'half')
  call MPI_Comm_get_name(comm, name, n)
  if (name /= 'half' .or. n /= 4) stop 4
  call MPI_Comm_free(comm)
  if (comm /= MPI_COMM_NULL) stop 5
  call MPI_Info_create(info)
  call MPI_Info_set(info, 'key', 'some value')
  call MPI_Info_get(info, 'key', 20, text, flag)
  if (.not. flag .or. text /= 'some value') stop 6
  call MPI_Info_free(info)
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a)', 'all right'
  call MPI_Finalize()
end program
