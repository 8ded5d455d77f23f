! The module mpi: choice buffers, sentinels, handles in arrays, callbacks, attributes, texts.
program subroutines
  use mpi
  implicit none
  integer :: ierr, rank, size, status(MPI_STATUS_SIZE), n, t, req(2), statuses(MPI_STATUS_SIZE,2), op, &
    newcomm, key, len, idx
  integer(kind=MPI_ADDRESS_KIND) :: val, extra, a1, a2
  real(8) :: a(10), b(10)
  integer :: i(4), j(4)
  logical :: flag
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  character(len=20) :: s
  external add
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  a = rank + 1; b = 0
  call MPI_Sendrecv(a, 10, MPI_DOUBLE_PRECISION, mod(rank+1,size), 5, b, 10, MPI_DOUBLE_PRECISION, &
    mod(rank+size-1,size), 5, &
     MPI_COMM_WORLD, status, ierr)
  call MPI_Get_count(status, MPI_DOUBLE_PRECISION, n, ierr)
  if (n /= 10 .or. b(3) /= mod(rank+size-1,size)+1 .or. status(MPI_TAG) /= 5) call fail(1)
  i = rank
  call MPI_Allreduce(MPI_IN_PLACE, i, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (i(2) /= size*(size-1)/2) call fail(2)
  call MPI_Get_address(a(1), a1, ierr)
  call MPI_Get_address(a(5), a2, ierr)
  call MPI_Type_create_struct(2, (/2,3/), (/a1,a2/), (/MPI_DOUBLE_PRECISION,MPI_DOUBLE_PRECISION/), t, ierr)
  call MPI_Type_commit(t, ierr)
  a(1:7) = (/1,2,3,4,5,6,7/); b=0
  call MPI_Isend(MPI_BOTTOM, 1, t, rank, 7, MPI_COMM_WORLD, req(1), ierr)
  call MPI_Irecv(b, 5, MPI_DOUBLE_PRECISION, rank, 7, MPI_COMM_WORLD, req(2), ierr)
  call MPI_Waitall(2, req, MPI_STATUSES_IGNORE, ierr)
  if (any(b(1:5) /= (/1d0,2d0,5d0,6d0,7d0/))) call fail(3)
  if (req(1) /= MPI_REQUEST_NULL) call fail(4)
  call MPI_Type_free(t, ierr)
  call MPI_Op_create(add, .true., op, ierr)
  i = rank
  call MPI_Allreduce(i, j, 4, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  if (j(4) /= size*(size-1)/2) call fail(5)
  call MPI_Op_free(op, ierr)
  extra = 11
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, extra, ierr)
  val = 1234567890123_8
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, val, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, newcomm, ierr)
  val = 0
  call MPI_Comm_get_attr(newcomm, key, val, flag, ierr)
  if (.not. flag .or. val /= 1234567890123_8) call fail(6)
  call MPI_Comm_get_attr(newcomm, MPI_TAG_UB, val, flag, ierr)
  if (.not. flag .or. val < 32767) call fail(7)
  call MPI_Comm_set_name(newcomm, 'my name', ierr)
  call MPI_Comm_get_name(newcomm, s, len, ierr)
  if (s /= 'my name' .or. len /= 7) call fail(8)
  call MPI_Comm_free(newcomm, ierr)
  call MPI_Get_processor_name(name, len, ierr)
  if (len < 1 .or. name(len:len) == ' ') call fail(9)
  call MPI_Irecv(b, 5, MPI_DOUBLE_PRECISION, rank, 8, MPI_COMM_WORLD, req(2), ierr)
  req(1) = MPI_REQUEST_NULL
  call MPI_Send(a, 5, MPI_DOUBLE_PRECISION, rank, 8, MPI_COMM_WORLD, ierr)
  call MPI_Waitany(2, req, idx, MPI_STATUS_IGNORE, ierr)
  if (idx /= 2) call fail(10)
  if (MPI_Wtime() < 0) call fail(11)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
subroutine add(a, b, n, t)
  integer n, t, a(n), b(n)
  b = a + b
end subroutine
subroutine fail(step)
  integer step
  print *, 'step', step, 'has failed'
  call exit(77)
end subroutine
