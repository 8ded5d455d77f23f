! A program whose calls go by a profiler in Fortran 2008: see profiler.f90.
program profiled
  use mpi_f08
  implicit none
  type :: pair
    integer :: first, second
  end type
  integer, parameter :: n = 4
  integer, target :: sent(2 * n), got(n)
  type(pair), target :: pairs(n)
  integer, pointer :: apart(:)
  integer :: rank, size, right, left, i, calls(4)
  type(MPI_Request) :: requests(2)
  common /profile/ calls
  calls = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  right = modulo(rank + 1, size)
  left = modulo(rank - 1, size)
  sent = [(100 * rank + i, i = 1, 2 * n)]

  ! A section, to a scalar and an array.
  if (rank == 0) call MPI_Send(sent(1:2 * n:2), n, MPI_INTEGER, right, 1, MPI_COMM_WORLD)
  if (rank == 1 .or. size == 1) call MPI_Recv(got, n, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  if (rank == 1 .or. size == 1) call check(all(got == [1, 3, 5, 7]), 'MPI_Send of a section')

  ! Sections that gfortran copies where an interface has no BIND(C).
  pairs = pair(-1, -2)
  apart => sent(1:2 * n:2)
  call MPI_Irecv(pairs%second, n, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(apart, n, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call check(all(pairs%second == 100 * left + [1, 3, 5, 7]), 'MPI_Irecv of components')
  call check(all(pairs%first == -1), 'what lies beside components')

  ! A section that is received in a call that blocks.
  if (rank == 0) sent(2::2) = 7
  call MPI_Bcast(sent(2::2), n, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call check(all(sent(2::2) == 7) .and. all(sent(1::2) == 100 * rank + [1, 3, 5, 7]), 'MPI_Bcast of a section')
  call MPI_Gather(rank, 1, MPI_INTEGER, sent(1:2 * n:2), 1, MPI_INTEGER, 0, MPI_COMM_SELF)
  call MPI_Allreduce(MPI_IN_PLACE, sent(1:1), 1_MPI_COUNT_KIND, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  call check(sent(1) == size - 1 .and. sent(3) == 100 * rank + 3, 'MPI_Allreduce')

  call check(calls(1) == merge(1, 0, rank == 0), 'calls of MPI_Send')
  call check(calls(2) == merge(1, 0, rank == 1 .or. size == 1), 'calls of MPI_Recv')
  call check(calls(3) == 1, 'calls of MPI_Isend')
  call check(calls(4) == 1, 'calls of MPI_Irecv')
  call MPI_Finalize()
contains
  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (.not. right) then
      print *, what, ' is wrong at rank', rank
      call MPI_Abort(MPI_COMM_WORLD, 7)
    end if
  end subroutine
end program
