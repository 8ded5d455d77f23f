! A program that was compiled for Open MPI or MPICH: its numbers, its common blocks, its statuses.
module called
  implicit none
  integer :: copies = 0, deletes = 0, raised = 0
contains
  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (.not. right) then
      print *, 'wrong: ', what
      stop 1
    end if
  end subroutine

  ! A datatype that is handed over is an INTEGER of the program.
  subroutine add(in, inout, n, datatype)
    include 'declared.inc'
    integer :: n, datatype, in(n), inout(n)
    call check(datatype == MPI_INTEGER, 'datatype of an operator')
    inout = inout + in
  end subroutine

  subroutine copy(comm, key, extra, value, new, flag, ierror)
    include 'declared.inc'
    integer :: comm, key, ierror
    integer(kind=8) :: extra, value, new
    logical :: flag
    call check(comm == MPI_COMM_WORLD, 'communicator of a copy')
    call check(extra == 5_8, 'extra state of a copy')
    new = value + key - key + 1
    flag = .true.
    copies = copies + 1
    ierror = 0
  end subroutine

  subroutine delete(comm, key, value, extra, ierror)
    include 'declared.inc'
    integer :: comm, key, ierror
    integer(kind=8) :: extra, value
    call check(comm /= MPI_COMM_NULL .and. key > 0, 'what a delete is for')
    call check(extra == 5_8 .and. (value == 42_8 .or. value == 43_8), 'a delete')
    deletes = deletes + 1
    ierror = 0
  end subroutine

  subroutine handler(comm, code)
    include 'declared.inc'
    integer :: comm, code, class, ierror
    call check(comm == MPI_COMM_WORLD, 'communicator of an error')
    call MPI_Error_class(code, class, ierror)
    call check(class == 6, 'class of an error')
    raised = raised + 1
  end subroutine
end module

program declared
  use called
  implicit none
  include 'declared.inc'
  integer :: ierror, rank, size, provided, i, op, comm, key, answer, class, n, flag_handler
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), requests(3), v(4), w(4), types(2), old(2)
  integer :: integers(8), members(8), newtype, group, win
  integer(kind=MPI_ADDRESS_KIND) :: value, addresses(2), displacements(2)
  double precision :: x
  logical :: flag

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierror)
  call check(ierror == 0 .and. provided == MPI_THREAD_MULTIPLE, 'level of threads')
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call check(MPI_Wtime() >= 0, 'time')

  ! Statuses, wildcards, and a rank that is none.
  v = rank
  if (rank == 0) then
    do i = 1, size - 1
      call MPI_Recv(v, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierror)
      call check(v(4) == status(MPI_SOURCE) .and. status(MPI_TAG) == 10 + v(4), 'status')
      call MPI_Get_count(status, MPI_INTEGER, n, ierror)
      call check(n == 4, 'count')
    end do
  else
    call MPI_Send(v, 4, MPI_INTEGER, 0, 10 + rank, MPI_COMM_WORLD, ierror)
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierror) ! a receive from any rank gets what was sent before
  call MPI_Recv(v, 4, MPI_INTEGER, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierror)
  call check(status(MPI_SOURCE) == MPI_PROC_NULL .and. status(MPI_TAG) == MPI_ANY_TAG, 'status of no rank')

  ! Arrays of requests and statuses, with a request that is none, and with the sentinel.
  do i = 1, 2
    v = rank
    w = -1
    call MPI_Irecv(w(1), 1, MPI_INTEGER, mod(rank + size - 1, size), 1, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Isend(v(1), 1, MPI_INTEGER, mod(rank + 1, size), 1, MPI_COMM_WORLD, requests(2), ierror)
    if (i == 1) then
      call MPI_Waitall(2, requests, statuses, ierror)
      call check(statuses(MPI_SOURCE, 1) == mod(rank + size - 1, size), 'status of an array')
    else
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    end if
    call check(all(requests(1:2) == MPI_REQUEST_NULL) .and. w(1) == mod(rank + size - 1, size), 'requests')
  end do
  requests(1) = MPI_REQUEST_NULL
  call MPI_Irecv(w(1), 1, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_Send(v(1), 1, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, ierror)
  call MPI_Waitany(2, requests, n, MPI_STATUS_IGNORE, ierror)
  call check(n == 2, 'index')

  ! Collectives with the sentinel, and an operator of the program.
  v = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, v, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call check(all(v == size * (size + 1) / 2), 'sum in place')
  x = rank
  call MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
  call check(nint(x) == size - 1, 'maximum')
  call MPI_Op_create(add, .true., op, ierror)
  v = rank + 1
  call MPI_Allreduce(v, w, 4, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
  call check(all(w == size * (size + 1) / 2), 'operator of the program')
  call MPI_Op_free(op, ierror)
  call check(op == MPI_OP_NULL, 'operator that was freed')

  ! Types, and memory from the bottom on.
  types = [MPI_INTEGER, MPI_DOUBLE_PRECISION]
  old = 1
  call MPI_Get_address(v(1), addresses(1), ierror)
  call MPI_Get_address(x, addresses(2), ierror)
  displacements = addresses
  call MPI_Type_create_struct(2, old, displacements, types, newtype, ierror)
  call MPI_Type_commit(newtype, ierror)
  v(1) = merge(7, 0, rank == 0)
  x = merge(2.5d0, 0d0, rank == 0)
  call MPI_F_sync_reg(v)
  call MPI_F_sync_reg(x)
  call MPI_Bcast(MPI_BOTTOM, 1, newtype, 0, MPI_COMM_WORLD, ierror)
  call MPI_F_sync_reg(v)
  call MPI_F_sync_reg(x)
  call check(v(1) == 7 .and. x == 2.5d0, 'from the bottom on')
  call MPI_Type_get_envelope(newtype, integers(1), integers(2), integers(3), class, ierror)
  call check(class == MPI_COMBINER_STRUCT .and. integers(3) == 2, 'envelope')
  call MPI_Type_get_contents(newtype, 3, 2, 2, integers, addresses, types, ierror)
  call check(types(1) == MPI_INTEGER .and. types(2) == MPI_DOUBLE_PRECISION, 'contents')
  call MPI_Type_free(newtype, ierror)
  call check(newtype == MPI_DATATYPE_NULL, 'type that was freed')
  call MPI_Type_extent(MPI_DOUBLE_PRECISION, n, ierror)
  call check(n == 8, 'extent of MPI 1')
  call MPI_Type_struct(2, old, [0, 16], [MPI_INTEGER, MPI_UB], newtype, ierror)
  call MPI_Type_extent(newtype, n, ierror)
  call check(n == 16, 'a marker')
  call MPI_Type_free(newtype, ierror)
  displacements = [-8, 0]
  call MPI_Type_create_struct(2, old, displacements, [MPI_LB, MPI_INTEGER], newtype, ierror)
  call MPI_Type_get_extent(newtype, addresses(1), addresses(2), ierror)
  call check(addresses(1) == -8 .and. addresses(2) == 12, 'a marker below the struct')
  call MPI_Type_free(newtype, ierror)
#ifndef FACE_MPICH
  call MPI_Type_size(MPI_2COMPLEX, n, ierror)
  call check(n == 16, 'a type of Open MPI alone')
#endif

  ! Attributes, with their callbacks and with the predefined one.
  call MPI_Comm_create_keyval(copy, delete, key, 5_MPI_ADDRESS_KIND, ierror)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 42_MPI_ADDRESS_KIND, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  call MPI_Comm_get_attr(comm, key, value, flag, ierror)
  call check(flag .and. value == 43 .and. copies == 1, 'attribute')
  call MPI_Comm_compare(comm, MPI_COMM_WORLD, answer, ierror)
  call check(answer == MPI_CONGRUENT, 'comparison')
  call MPI_Comm_free(comm, ierror)
  call check(deletes == 1 .and. comm == MPI_COMM_NULL, 'communicator that was freed')
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierror)
  call check(deletes == 2, 'attribute that was deleted')
  call MPI_Comm_create_keyval(MPI_Comm_dup_fn, delete, key, 5_MPI_ADDRESS_KIND, ierror)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 43_MPI_ADDRESS_KIND, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  call MPI_Comm_get_attr(comm, key, value, flag, ierror)
  call check(flag .and. value == 43 .and. copies == 1, 'attribute by the predefined function')
  call MPI_Comm_free(comm, ierror)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierror)
  call check(flag .and. value >= 32767, 'greatest tag')

  ! Topologies, groups, and weights that are none.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [size], [.true.], .false., comm, ierror)
  call MPI_Topo_test(comm, answer, ierror)
  call check(answer == MPI_CART, 'topology')
  call MPI_Comm_free(comm, ierror)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [rank], MPI_UNWEIGHTED, 1, [rank], MPI_UNWEIGHTED, &
    MPI_INFO_NULL, .false., comm, ierror)
  call MPI_Dist_graph_neighbors_count(comm, integers(1), integers(2), flag, ierror)
  call check(.not. flag .and. integers(1) == 1, 'graph without weights')
  call MPI_Comm_free(comm, ierror)
  call MPI_Comm_group(MPI_COMM_WORLD, group, ierror)
  call MPI_Group_excl(group, size, [(i, i = 0, size - 1)], integers(1), ierror)
  call MPI_Group_compare(integers(1), MPI_GROUP_EMPTY, answer, ierror)
  call check(answer == MPI_IDENT, 'empty group')
  call MPI_Group_translate_ranks(integers(1), 0, [0], group, members, ierror)

  ! Errors, by code and by a handler of the program.
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
  call MPI_Send(v, 1, MPI_INTEGER, size, 0, MPI_COMM_WORLD, ierror)
  call MPI_Error_class(ierror, class, answer)
  call check(class == MPI_ERR_RANK, 'code of a wrong rank')
  call MPI_Comm_size(16000, n, ierror) ! an integer that is no handle
  call MPI_Error_class(ierror, class, answer)
  call check(class == MPI_ERR_COMM, 'code of a wrong communicator')
  win = MPI_WIN_NULL
  call MPI_Win_fence(0, win, ierror)
  call MPI_Error_class(ierror, class, answer)
  call check(class == MPI_ERR_WIN, 'code of a wrong window')
  call MPI_Comm_create_errhandler(handler, flag_handler, ierror)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, flag_handler, ierror)
  call MPI_Send(v, 1, MPI_INTEGER, size, 0, MPI_COMM_WORLD, ierror)
  call check(raised == 1, 'handler of the program')
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierror)

  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a)', 'all right'
  call MPI_Finalize(ierror)
end program
