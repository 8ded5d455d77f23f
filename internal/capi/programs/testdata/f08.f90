! The module mpi_f08: types of handles, calls without ierror, keywords, callbacks, large counts.
module callbacks
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  integer :: deleted = 0, handled = 0
contains
  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (.not. right) then
      print *, what, ' is wrong'
      call exit(77)
    end if
  end subroutine

  subroutine add(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: from(:), to(:)
    call check(datatype == MPI_INTEGER, 'the type that an operator gets')
    call c_f_pointer(invec, from, (/len/))
    call c_f_pointer(inoutvec, to, (/len/))
    to = from + to
  end subroutine

  subroutine add_many(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer(MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: from(:), to(:)
    call check(datatype /= MPI_DATATYPE_NULL, 'the type that an operator with large counts gets')
    call c_f_pointer(invec, from, (/len/))
    call c_f_pointer(inoutvec, to, (/len/))
    to = from + to
  end subroutine

  subroutine copy(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    attribute_val_out = attribute_val_in + extra_state
    flag = oldcomm /= MPI_COMM_NULL .and. comm_keyval /= MPI_KEYVAL_INVALID
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    ierror = MPI_SUCCESS
    if (comm == MPI_COMM_SELF .or. comm_keyval == 0 .or. extra_state /= 3) ierror = MPI_ERR_OTHER
    if (attribute_val /= 45) ierror = MPI_ERR_OTHER
    deleted = deleted + 1
  end subroutine

  subroutine handler(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    if (comm == MPI_COMM_SELF .and. error_code /= MPI_SUCCESS) handled = handled + 1
  end subroutine

  subroutine query(extra_state, status, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    type(MPI_Status) :: status
    integer :: ierror
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state), ierror)
    call MPI_Status_set_cancelled(status, .false.)
    status%MPI_TAG = 17
  end subroutine

  subroutine release(extra_state, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    extra_state = 0
    ierror = MPI_SUCCESS
  end subroutine

  subroutine cancel(extra_state, complete, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, complete .or. extra_state /= 0)
  end subroutine
end module

program typed
  use callbacks
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, size, right, left
  call MPI_Init()
  if (command_argument_count() > 0) call refused
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(comm=MPI_COMM_WORLD, size=size)
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  call messages
  call sections
  call operators
  call attributes
  call errors
  call requests
  call memory
  call files
  call old(MPI_COMM_WORLD%MPI_VAL, size)
  call MPI_Finalize()
contains
  subroutine messages
    type(MPI_Request) :: request(2)
    type(MPI_Status) :: status, both(2)
    integer :: there(4), grid(4, 3), n
    integer(MPI_COUNT_KIND) :: many
    there = rank
    call MPI_Irecv(buf=grid, count=4, datatype=MPI_INTEGER, source=left, tag=5, comm=MPI_COMM_WORLD, &
      request=request(1))
    call MPI_Isend(there, 4, MPI_INTEGER, right, 5, MPI_COMM_WORLD, request(2))
    call MPI_Waitall(2, request, both)
    call check(all(grid(:, 1) == left) .and. all(request%MPI_VAL == MPI_REQUEST_NULL%MPI_VAL), 'MPI_Waitall')
    call check(both(1)%MPI_SOURCE == left .and. both(1)%MPI_TAG == 5, 'a status of MPI_Waitall')
    many = 3
    grid = 0
    call MPI_Sendrecv((/7, 8, 9/), many, MPI_INTEGER, right, 6, grid(2, :), many, MPI_INTEGER, left, 6, &
      MPI_COMM_WORLD, status)
    call check(all(grid(2, :) == (/7, 8, 9/)) .and. all(grid(1, :) == 0), 'a section that receives')
    many = 0
    call MPI_Get_count(status, MPI_INTEGER, many)
    call MPI_Get_count(status, MPI_INTEGER, n)
    call check(many == 3 .and. n == 3, 'MPI_Get_count with both kinds of counts')
    call PMPI_Bcast(grid(2, :), 3, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
  end subroutine

  ! Sections of arrays are buffers that requests use until they are waited for.
  subroutine sections
    type pair
      integer :: first
      real(8) :: second
    end type
    type(MPI_Request) :: request(6)
    type(pair), target :: pairs(3), got(3)
    integer, target :: grid(4, 5), fresh(4, 5), line(6)
    character(len=2), target :: texts(4), read(4)
    integer(MPI_ADDRESS_KIND) :: at, start
    integer :: i
    grid = reshape((/(i, i=1, 20)/), (/4, 5/))
    fresh = 0
    line = 0
    pairs%first = 7
    pairs%second = (/1d0, 2d0, 3d0/)
    got%first = 0
    got%second = 0
    texts = (/'ab', 'cd', 'ef', 'gh'/)
    read = '..'
    call MPI_Irecv(fresh(4:1:-3, 1:5:2), 6, MPI_INTEGER, left, 1, MPI_COMM_WORLD, request(1))
    call MPI_Irecv(got%second, 3, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, request(2))
    call MPI_Irecv(read(4:1:-2), 4_MPI_COUNT_KIND, MPI_CHARACTER, left, 3, MPI_COMM_WORLD, request(3))
    call MPI_Send_init(grid(2:3, 2:4), 5, MPI_INTEGER, right, 1, MPI_COMM_WORLD, request(4))
    call MPI_Isend(pairs%second, 3, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, request(5))
    call MPI_Isend(texts(1:3:2), 4, MPI_CHARACTER, right, 3, MPI_COMM_WORLD, request(6))
    grid(2, 2) = 60
    call MPI_Start(request(4))
    call MPI_Waitall(6, request, MPI_STATUSES_IGNORE)
    call check(all(fresh(4, 1:5:2) == (/60, 10, 14/)) .and. all(fresh(1, 1:3:2) == (/7, 11/)), &
      'a section of two dimensions')
    call check(sum(fresh) == 60 + 10 + 14 + 7 + 11, 'what lies beside a section')
    call check(all(got%second == pairs%second) .and. all(got%first == 0), 'a component of an array')
    call check(read(4) == 'ab' .and. read(2) == 'ef' .and. read(1) == '..', 'a section of texts')
    call MPI_Request_free(request(4))
    call assumed(grid, fresh)
    call check(all(grid == fresh), 'an array of assumed size')
    call MPI_Get_address(grid(2, 1:5:2), at)
    call MPI_Get_address(grid(2, 1), start)
    call check(at == start, 'the address of a section')
  end subroutine

  subroutine assumed(from, to)
    integer :: from(4, *), to(*)
    type(MPI_Request) :: request(2)
    call MPI_Irecv(to, 20, MPI_INTEGER, left, 4, MPI_COMM_WORLD, request(1))
    call MPI_Isend(from, 20, MPI_INTEGER, right, 4, MPI_COMM_WORLD, request(2))
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
  end subroutine

  ! What cannot be a datatype is an error.
  subroutine refused
    type(MPI_Request) :: request
    integer :: grid(4, 5), sum(5), code
    grid = 1
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Iallreduce(grid(1, :), sum, 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, code)
    call check(code == MPI_ERR_BUFFER, 'a section that is reduced')
    call MPI_Isend(grid(1, :), 2, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, request, code)
    call check(code == MPI_ERR_BUFFER, 'a section with another datatype')
    call MPI_Isend(grid(1, :), 6, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, request, code)
    call check(code == MPI_ERR_BUFFER, 'a section that is too short')
  end subroutine

  subroutine operators
    type(MPI_Op) :: op
    integer :: numbers(4)
    numbers = rank
    call MPI_Op_create(add, .true., op)
    call MPI_Allreduce(MPI_IN_PLACE, numbers, 4, MPI_INTEGER, op, MPI_COMM_WORLD)
    call check(all(numbers == size * (size - 1) / 2), 'an operator of the program')
    call MPI_Op_free(op)
    call check(op == MPI_OP_NULL, 'MPI_Op_free')
    numbers = 1
    call MPI_Op_create_c(add_many, .true., op)
    call MPI_Allreduce(MPI_IN_PLACE, numbers, 4_MPI_COUNT_KIND, MPI_INTEGER, op, MPI_COMM_WORLD)
    call check(all(numbers == size), 'an operator with large counts')
    call MPI_Op_free(op)
  end subroutine

  subroutine attributes
    type(MPI_Comm) :: comm
    integer :: key
    integer(MPI_ADDRESS_KIND) :: got
    logical :: there
    call MPI_Comm_create_keyval(copy, delete, key, 3_MPI_ADDRESS_KIND)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 42_MPI_ADDRESS_KIND)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_get_attr(comm, key, got, there)
    call check(there .and. got == 45 .and. comm /= MPI_COMM_WORLD, 'an attribute that is copied')
    call MPI_Comm_free(comm)
    call check(deleted == 1 .and. comm == MPI_COMM_NULL, 'an attribute that is deleted')
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND)
    call MPI_Comm_free_keyval(key)
  end subroutine

  subroutine errors
    type(MPI_Errhandler) :: handlers(2)
    integer :: code, length
    character(len=MPI_MAX_ERROR_STRING) :: text
    call MPI_Comm_create_errhandler(handler, handlers(1))
    call MPI_Comm_get_errhandler(MPI_COMM_SELF, handlers(2))
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, handlers(1))
    call MPI_Send(rank, -1, MPI_INTEGER, 0, 0, MPI_COMM_SELF)
    call MPI_Send(rank, 1, MPI_INTEGER, 9, 0, MPI_COMM_SELF, code)
    call check(handled == 2 .and. code /= MPI_SUCCESS, 'an error handler of the program')
    call MPI_Error_string(code, text, length)
    call check(length > 0 .and. text(length + 1:) == '', 'the text of an error')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, handlers(2))
    call MPI_Errhandler_free(handlers(1))
  end subroutine

  subroutine requests
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer(MPI_ADDRESS_KIND) :: state
    integer :: n
    state = 6
    call MPI_Grequest_start(query, release, cancel, state, request)
    call MPI_Grequest_complete(request)
    call MPI_Wait(request, status)
    call MPI_Get_elements(status, MPI_INTEGER, n)
    call check(n == 6 .and. status%MPI_TAG == 17 .and. state == 0, 'a generalized request')
  end subroutine

  subroutine memory
    type(c_ptr) :: base, back
    integer, pointer :: words(:)
    integer, target :: buffer(MPI_BSEND_OVERHEAD)
    integer :: bytes, unit
    integer(MPI_COUNT_KIND) :: many
    integer(MPI_ADDRESS_KIND) :: extent
    type(MPI_Win) :: window
    call MPI_Win_allocate(40_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, window)
    call c_f_pointer(base, words, (/10/))
    words = -1
    call MPI_Win_fence(0, window)
    call MPI_Put((/rank, rank/), 2, MPI_INTEGER, right, 3_MPI_ADDRESS_KIND, 2, MPI_INTEGER, window)
    call MPI_Win_fence(0, window)
    call check(all(words(4:5) == left) .and. words(3) == -1, 'MPI_Put')
    call MPI_Win_shared_query(window, rank, extent, unit, back, bytes)
    call MPI_Win_free(window)
    call MPI_Buffer_attach(buffer, 4 * MPI_BSEND_OVERHEAD)
    call MPI_Buffer_detach(base, bytes)
    call check(c_associated(base, c_loc(buffer)) .and. bytes == 4 * MPI_BSEND_OVERHEAD, 'MPI_Buffer_detach')
    call MPI_Buffer_attach(buffer, 4_MPI_COUNT_KIND * MPI_BSEND_OVERHEAD)
    call MPI_Buffer_detach(base, many)
    call check(c_associated(base, c_loc(buffer)) .and. many == bytes, 'MPI_Buffer_detach with a large count')
  end subroutine

  subroutine files
    type(MPI_File) :: file
    type(MPI_Status) :: status
    integer :: numbers(2), n
    call MPI_File_open(MPI_COMM_SELF, '/dev/null', MPI_MODE_RDONLY, MPI_INFO_NULL, file)
    call MPI_File_read_at(file, 0_MPI_OFFSET_KIND, numbers, 2, MPI_INTEGER, status)
    call MPI_Get_count(status, MPI_INTEGER, n)
    call MPI_File_close(file)
    call check(n == 0 .and. file == MPI_FILE_NULL, 'a file')
  end subroutine
end program

! Both modules are in one program, and a handle of one is the number of the other.
subroutine old(comm, members)
  use mpi
  implicit none
  integer :: comm, members, size, ierror
  call MPI_Comm_size(comm, size, ierror)
  if (size /= members) call exit(77)
end subroutine
