! What the standard has for Fortran besides the functions of C, or with other types and counts.
module checks
contains
  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (.not. right) then
      print *, what, ' is wrong'
      call exit(77)
    end if
  end subroutine
end module

program binding
  use mpi
  use checks
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: ierr
  call MPI_Init(ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
  call levels(1, 17)
  call memory
  call statuses
  call graphs
  call indices
  call texts
  call in_place
  call sizes
  call requests
  call MPI_Finalize(ierr)
contains
  ! MPI_Pcontrol has no error code: nothing behind its argument may change.
  subroutine levels(level, other)
    integer :: level, other, block(2)
    block = 42
    call MPI_Pcontrol(level)
    call check(block(1) == 42 .and. block(2) == 42 .and. other == 17, 'MPI_Pcontrol')
  end subroutine

  subroutine memory
    type(c_ptr) :: pointer
    integer(kind=MPI_ADDRESS_KIND) :: address
    double precision, pointer :: a(:)
    integer :: b(4)
    call MPI_Alloc_mem(80_MPI_ADDRESS_KIND, MPI_INFO_NULL, pointer, ierr)
    call c_f_pointer(pointer, a, (/10/))
    a = 1
    call check(sum(a) == 10, 'MPI_Alloc_mem with a TYPE(C_PTR)')
    call MPI_Free_mem(a, ierr)
    call MPI_Alloc_mem(80_MPI_ADDRESS_KIND, MPI_INFO_NULL, address, ierr)
    call check(ierr == MPI_SUCCESS .and. address /= 0, 'MPI_Alloc_mem with an INTEGER')
    b = 1
    call MPI_F_sync_reg(b)
    call check(sum(b) == 4, 'MPI_F_sync_reg')
  end subroutine

  subroutine statuses
    integer :: old(MPI_STATUS_SIZE), back(MPI_STATUS_SIZE), number
    type(MPI_Status) :: status
    type(MPI_Comm) :: one, other
    old = (/1, 2, 3, 4, 5, 6, 7, 8/)
    call MPI_Status_f2f08(old, status, ierr)
    call check(status%MPI_SOURCE == 1 .and. status%MPI_TAG == 2 .and. status%MPI_ERROR == 3, 'MPI_Status_f2f08')
    call MPI_Status_f082f(status, back, ierr)
    call check(all(old == back), 'MPI_Status_f082f')
    one%MPI_VAL = MPI_COMM_WORLD
    other = one
    call check(one == other, 'the operator ==')
    other%MPI_VAL = MPI_COMM_SELF
    call check(one /= other, 'the operator /=')
    number = 5
    call with_include(number, old)
    call check(number == 5 .and. all(old == 5), 'a special value in another unit')
  end subroutine

  subroutine graphs
    integer :: graph, incoming, outgoing, index(2), edges(2)
    logical :: weighted
    call MPI_Dist_graph_create(MPI_COMM_SELF, 1, (/0/), (/1/), (/0/), MPI_UNWEIGHTED, MPI_INFO_NULL, &
      .false., graph, ierr)
    weighted = .true.
    call MPI_Dist_graph_neighbors_count(graph, incoming, outgoing, weighted, ierr)
    call check(incoming == 1 .and. outgoing == 1 .and. .not. weighted, 'MPI_UNWEIGHTED')
    call MPI_Dist_graph_create(MPI_COMM_SELF, 1, (/0/), (/1/), (/0/), (/3/), MPI_INFO_NULL, .false., graph, ierr)
    call MPI_Dist_graph_neighbors_count(graph, incoming, outgoing, weighted, ierr)
    call check(weighted, 'WEIGHTED of MPI_Dist_graph_neighbors_count')
    call MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 0, edges, MPI_WEIGHTS_EMPTY, 0, edges, MPI_WEIGHTS_EMPTY, &
      MPI_INFO_NULL, .false., graph, ierr)
    call check(ierr == MPI_SUCCESS, 'MPI_WEIGHTS_EMPTY')
    index(1) = 1
    call MPI_Graph_create(MPI_COMM_SELF, 1, index, (/0/), .false., graph, ierr)
    call check(index(1) == 1, 'INDEX of MPI_Graph_create')
    index = -1
    call MPI_Graph_get(graph, 1, 1, index, edges, ierr)
    call check(index(1) == 1 .and. edges(1) == 0, 'INDEX of MPI_Graph_get')
  end subroutine

  ! Indices count from 1, also where the operation has failed, and stay where the call is refused.
  subroutine indices
    integer :: request(2), one(1), two(2), which, n, all(2), i
    logical :: done
    two = 7
    do i = 1, 3
      request(1) = MPI_REQUEST_NULL
      call MPI_Irecv(one, 1, MPI_INTEGER, 0, 3, MPI_COMM_SELF, request(2), ierr)
      call MPI_Send(two, 2, MPI_INTEGER, 0, 3, MPI_COMM_SELF, ierr)
      which = -9; all = -9; n = -9
      select case (i)
      case (1)
        call MPI_Waitany(2, request, which, MPI_STATUS_IGNORE, ierr)
      case (2)
        call MPI_Testany(2, request, which, done, MPI_STATUS_IGNORE, ierr)
      case (3)
        call MPI_Waitsome(2, request, n, all, MPI_STATUSES_IGNORE, ierr)
        call check(n == 1, 'OUTCOUNT')
        which = all(1)
      end select
      call check(ierr /= MPI_SUCCESS, 'the error of a message that is too long')
      call check(which == 2, 'the index of an operation that has failed')
    end do
    request = MPI_REQUEST_NULL
    call MPI_Waitany(2, request, which, MPI_STATUS_IGNORE, ierr)
    call check(which == MPI_UNDEFINED, 'MPI_UNDEFINED of MPI_Waitany')
    call MPI_Testsome(2, request, n, all, MPI_STATUSES_IGNORE, ierr)
    call check(n == MPI_UNDEFINED, 'MPI_UNDEFINED of MPI_Testsome')
  end subroutine

  ! Blanks at the beginning of a name count, those at the end do not; in an info neither do.
  subroutine texts
    character(len=12) :: long
    character(len=4) :: short
    integer :: length, info
    logical :: there
    call MPI_Comm_set_name(MPI_COMM_SELF, '  mine  ', ierr)
    long = 'xxxxxxxxxxxx'
    call MPI_Comm_get_name(MPI_COMM_SELF, long, length, ierr)
    call check(long == '  mine' .and. long(12:12) == ' ' .and. length == 6, 'a name with blanks')
    call MPI_Comm_get_name(MPI_COMM_SELF, short, length, ierr)
    call check(short == '  mi', 'a name that is longer than its variable')
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, ' key ', '  value ', ierr)
    call MPI_Info_get(info, 'key', 12, long, there, ierr)
    call check(there .and. long == 'value', 'a value with blanks')
    call MPI_Info_get(info, 'key', 2, long, there, ierr)
    call check(there .and. long == 'va', 'a value that is longer than VALUELEN')
    there = .true.
    call MPI_Info_get(info, 'other', 2, long, there, ierr)
    call check(.not. there .and. long == 'va', 'a value that is not there')
    call MPI_Info_free(info, ierr)
  end subroutine

  ! With MPI_IN_PLACE what describes the send buffer does not count: none of it may be read.
  subroutine in_place
    integer :: rank, size, i
    integer, allocatable :: counts(:), places(:), types(:), numbers(:)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
    allocate (counts(size), places(size), types(size), numbers(size))
    counts = 1
    types = MPI_INTEGER
    places = (/(4 * i, i = 0, size - 1)/)
    numbers = rank
    call MPI_Alltoallw(MPI_IN_PLACE, (/0/), (/0/), (/0/), numbers, counts, places, types, MPI_COMM_WORLD, ierr)
    call check(all(numbers == (/(i, i = 0, size - 1)/)), 'MPI_Alltoallw in place')
  end subroutine

  subroutine sizes
    integer :: size
    real(8) :: numbers(3)
    complex :: one
    integer(kind=2) :: little(2, 2)
    call MPI_Sizeof(numbers, size, ierr)
    call check(size == 8, 'MPI_Sizeof of an array')
    call MPI_Sizeof(one, size, ierr)
    call check(size == 8, 'MPI_Sizeof of a scalar')
    call PMPI_Sizeof(little, size, ierr)
    call check(size == 2, 'PMPI_Sizeof')
    call check(MPI_Aint_diff(MPI_Aint_add(40_MPI_ADDRESS_KIND, 2_MPI_ADDRESS_KIND), 2_MPI_ADDRESS_KIND) == 40, &
      'MPI_Aint_diff')
    call check(MPI_Wtime() > 0 .and. MPI_Wtick() > 0, 'MPI_Wtime')
  end subroutine

  ! A buffer is written when the request is waited for. The callbacks of a generalized request get the
  ! variable of the program.
  subroutine requests
    integer :: request, number, seen
    integer(kind=MPI_ADDRESS_KIND) :: state
    external query, release, cancel
    number = 1
    call MPI_Recv_init(number, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
    number = 3
    call MPI_Start(request, ierr)
    call MPI_Send(7, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    seen = number
    call MPI_Request_free(request, ierr)
    call check(seen == 7, 'what a persistent request has received')
    state = 1234567890123_MPI_ADDRESS_KIND
    call MPI_Grequest_start(query, release, cancel, state, request, ierr)
    call MPI_Grequest_complete(request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call check(ierr == MPI_SUCCESS .and. state == 17, 'the state of a generalized request')
  end subroutine
end program

subroutine query(state, status, ierr)
  use mpi
  implicit none
  integer(kind=MPI_ADDRESS_KIND) :: state
  integer :: status(MPI_STATUS_SIZE), ierr
  ierr = MPI_ERR_OTHER
  if (state /= 1234567890123_MPI_ADDRESS_KIND) return
  call MPI_Status_set_cancelled(status, .false., ierr)
end subroutine

subroutine release(state, ierr)
  use mpi
  implicit none
  integer(kind=MPI_ADDRESS_KIND) :: state
  integer :: ierr
  ierr = MPI_ERR_OTHER
  if (state == 1234567890123_MPI_ADDRESS_KIND) ierr = MPI_SUCCESS
  state = 17
end subroutine

subroutine cancel(state, complete, ierr)
  use mpi
  implicit none
  integer(kind=MPI_ADDRESS_KIND) :: state
  logical :: complete
  integer :: ierr
  complete = complete .or. state == 0
  ierr = MPI_ERR_OTHER
end subroutine
