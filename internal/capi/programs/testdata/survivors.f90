! The last rank ends without MPI_Finalize. The others learn of it, and go on. Run with --survive.
program survivors
  use mpi_f08
  use mpi_f08_ext
  implicit none
  integer :: rank, size, code, flag, n
  logical :: there, revoked
  integer(MPI_ADDRESS_KIND) :: handled
  type(MPI_Comm) :: less
  type(MPI_Group) :: failed
  type(MPI_Request) :: request
  interface
    subroutine by_module(comm)
      integer, intent(in) :: comm
    end subroutine
    subroutine by_include(comm)
      integer, intent(in) :: comm
    end subroutine
  end interface

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, handled, there)
  if (.not. there .or. handled /= 1) error stop 'MPIX_FT'
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == size - 1) stop
  call MPI_Barrier(MPI_COMM_WORLD, code)
  if (code /= MPIX_ERR_PROC_FAILED) error stop 'MPI_Barrier'
  call MPIX_Comm_get_failed(MPI_COMM_WORLD, failed)
  call MPI_Group_size(failed, n)
  if (n /= 1) error stop 'MPIX_Comm_get_failed'
  call MPI_Group_free(failed)
  call PMPI_Comm_ack_failed(MPI_COMM_WORLD, 1, n, code)
  if (code /= MPI_SUCCESS .or. n /= 1) error stop 'PMPI_Comm_ack_failed'
  flag = not(ishft(1, rank))
  call MPIX_Comm_agree(MPI_COMM_WORLD, flag, code)
  if (code /= MPI_SUCCESS .or. flag /= not(ishft(1, size - 1) - 1)) error stop 'MPIX_Comm_agree'
  flag = -2
  call MPIX_Comm_iagree(MPI_COMM_WORLD, flag, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  if (flag /= -2) error stop 'MPIX_Comm_iagree'
  call PMPIX_Comm_ishrink(MPI_COMM_WORLD, less, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Comm_size(less, n)
  if (n /= size - 1) error stop 'PMPIX_Comm_ishrink'
  call by_module(less%MPI_VAL)
  call by_include(less%MPI_VAL)
  if (rank == 0) call MPIX_Comm_revoke(less)
  if (rank /= 0) call MPI_Barrier(less, code)
  call MPIX_Comm_is_revoked(less, revoked)
  if (.not. revoked .or. rank /= 0 .and. code /= MPIX_ERR_REVOKED) error stop 'MPIX_Comm_revoke'
  call MPI_Comm_free(less)
  call MPI_Finalize()
  if (rank == 0) print '(a)', 'survived'
end program

subroutine by_module(comm)
  use mpi
  use mpi_ext
  implicit none
  integer, intent(in) :: comm
  integer :: less, group, ierror, n, members
  logical :: revoked
  call MPIX_Comm_shrink(comm, less, ierror)
  call MPI_Comm_size(less, n, ierror)
  call MPI_Comm_size(comm, members, ierror)
  if (n /= members) error stop 'MPIX_Comm_shrink'
  call PMPIX_Comm_is_revoked(less, revoked, ierror)
  if (revoked) error stop 'PMPIX_Comm_is_revoked'
  call MPIX_Comm_failure_ack(less, ierror)
  call MPIX_Comm_failure_get_acked(less, group, ierror)
  call MPI_Group_size(group, n, ierror)
  if (n /= 0) error stop 'MPIX_Comm_failure_get_acked'
  call MPI_Group_free(group, ierror)
  call MPI_Comm_free(less, ierror)
end subroutine

subroutine by_include(comm)
  implicit none
  include 'mpif.h'
  include 'mpif-ext.h'
  integer, intent(in) :: comm
  integer :: ierror, flag
  flag = 6
  call MPIX_COMM_AGREE(comm, flag, ierror)
  if (flag /= 6 .or. ierror == MPIX_ERR_PROC_FAILED) error stop 'MPIX_COMM_AGREE'
end subroutine
