! Attributes that one language sets and another reads, copies and deletes (MPI 5.0, 19.3.7). languages.c
! is the part in C. A value is set as a pointer (kind 0), as an INTEGER (1) or as an INTEGER of the
! size of an address (2).
module values
  use mpi
  implicit none
  integer, parameter :: small = -7
  integer(kind=MPI_ADDRESS_KIND), parameter :: large = -77777777777_MPI_ADDRESS_KIND
  integer(kind=MPI_ADDRESS_KIND) :: given, deleted, extra
  integer :: ierr
contains
  subroutine check(right, what, kind)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    integer, intent(in) :: kind
    if (.not. right) then
      print *, what, ' is wrong, set as', kind
      call exit(77)
    end if
  end subroutine

  subroutine set(comm, key, kind)
    integer :: comm, key, kind
    select case (kind)
    case (0)
      call c_sets(comm, key)
    case (1)
      call MPI_Attr_put(comm, key, small, ierr)
    case (2)
      call MPI_Comm_set_attr(comm, key, large, ierr)
    end select
  end subroutine

  ! What Fortran sees of a value.
  function seen(kind)
    integer :: kind
    integer(kind=MPI_ADDRESS_KIND) :: seen
    call c_cell(seen)
    if (kind == 1) seen = small
    if (kind == 2) seen = large
  end function

  ! All three ways to read a value.
  subroutine read(comm, key, kind)
    integer :: comm, key, kind, old
    integer(kind=MPI_ADDRESS_KIND) :: new
    logical :: flag
    call MPI_Comm_get_attr(comm, key, new, flag, ierr)
    call check(flag .and. new == seen(kind), 'MPI_Comm_get_attr', kind)
    call MPI_Attr_get(comm, key, old, flag, ierr)
    call check(flag .and. old == transfer(seen(kind), old), 'MPI_Attr_get', kind)
    select case (kind)
    case (0)
      call c_has_pointer(comm, key)
    case (1)
      call c_has_integer(comm, key, small)
    case (2)
      call c_has_address(comm, key, large)
    end select
  end subroutine

  subroutine copy(comm, key, state, in, out, flag, ierror)
    integer :: comm, key, ierror
    integer(kind=MPI_ADDRESS_KIND) :: state, in, out
    logical :: flag
    given = in
    extra = state
    out = in + comm - comm + key - key + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine copy_same(comm, key, state, in, out, flag, ierror)
    integer :: comm, key, ierror
    integer(kind=MPI_ADDRESS_KIND) :: state, in, out
    logical :: flag
    out = in + comm - comm + key - key + state - state
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete(comm, key, value, state, ierror)
    integer :: comm, key, ierror
    integer(kind=MPI_ADDRESS_KIND) :: value, state
    deleted = value + comm - comm + key - key
    extra = state
    ierror = MPI_SUCCESS
  end subroutine

  subroutine old_copy(comm, key, state, in, out, flag, ierror)
    integer :: comm, key, state, in, out, ierror
    logical :: flag
    given = in
    extra = state
    out = in + comm - comm + key - key + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine old_delete(comm, key, value, state, ierror)
    integer :: comm, key, value, state, ierror
    deleted = value + comm - comm + key - key
    extra = state
    ierror = MPI_SUCCESS
  end subroutine
end module

program languages
  use mpi
  use values
  implicit none
  integer :: key, kind, other, comm, type, old
  integer(kind=MPI_ADDRESS_KIND) :: value, at
  logical :: flag
  call MPI_Init(ierr)
  do kind = 0, 2
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierr)
    do other = 0, 2 ! also in place of a value of another kind
      call set(MPI_COMM_WORLD, key, other)
      call set(MPI_COMM_WORLD, key, kind)
      call read(MPI_COMM_WORLD, key, kind)
    end do
    call verbatim(key)
    call MPI_Comm_create_keyval(copy_same, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierr)
    call verbatim(key)
    call c_key_same(key)
    call verbatim(key)

    ! Callbacks in C see what C reads, whatever has set the value.
    call c_key(kind, key)
    call set(MPI_COMM_WORLD, key, kind)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call c_given(value)
    call check(value == seen(kind), 'what a copy callback in C is given', kind)
    call c_has_copy(comm, key)
    call MPI_Comm_get_attr(comm, key, value, flag, ierr)
    call c_copy_cell(at)
    call check(value == at, 'what a copy callback in C has made', kind)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
    call c_deleted(value)
    call check(value == seen(kind), 'what a delete callback in C is given', kind)
    call MPI_Comm_free(comm, ierr)

    ! Callbacks in Fortran see what Fortran reads, and make what Fortran sets.
    call MPI_Comm_create_keyval(copy, delete, key, large, ierr)
    call set(MPI_COMM_WORLD, key, kind)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call check(given == seen(kind) .and. extra == large, 'what a copy callback is given', kind)
    call c_has_address(comm, key, seen(kind) + 1)
    call MPI_Comm_free(comm, ierr)
    call check(deleted == seen(kind) + 1 .and. extra == large, 'what a delete callback is given', kind)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
    call check(deleted == seen(kind), 'what a delete callback is given', kind)

    call MPI_Keyval_create(old_copy, old_delete, key, small, ierr)
    call set(MPI_COMM_WORLD, key, kind)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    old = transfer(seen(kind), old)
    call check(given == old .and. extra == small, 'what an old copy callback is given', kind)
    call c_has_integer(comm, key, old + 1)
    call MPI_Comm_free(comm, ierr)
    call check(deleted == old + 1 .and. extra == small, 'what an old delete callback is given', kind)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
  end do

  call MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierr)
  call MPI_Type_contiguous(2, MPI_INTEGER, type, ierr)
  call MPI_Type_set_attr(type, key, large, ierr)
  call c_type(type, key, large)
  call MPI_Type_get_attr(type, key, value, flag, ierr)
  call check(flag .and. value == seen(0), 'an attribute of a datatype', 0)
  call MPI_Type_free(type, ierr)

  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
  call check(flag .and. value >= 32767, 'MPI_TAG_UB', 1)
  call MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, old, flag, ierr)
  call check(flag .and. old == value, 'MPI_TAG_UB of MPI_Attr_get', 1)
  call c_predefined(old)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, value, flag, ierr)
  call check(flag .and. value == MPI_PROC_NULL, 'MPI_HOST', 1)
  call MPI_Finalize(ierr)
contains
  ! A callback that copies a value as it is copies its kind, too.
  subroutine verbatim(key)
    integer :: key
    call set(MPI_COMM_WORLD, key, kind)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
    call read(comm, key, kind)
    call MPI_Comm_free(comm, ierr)
  end subroutine
end program
