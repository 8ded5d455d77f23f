! Prints, and aborts.
program abort
	use mpi_f08
	implicit none
	integer :: rank
	call MPI_Init()
	call MPI_Comm_rank(MPI_COMM_WORLD, rank)
	if (rank == 1) then
		print *, 'printed by rank', rank
		call MPI_Abort(MPI_COMM_WORLD, 4)
	end if
	call MPI_Barrier(MPI_COMM_WORLD)
	call MPI_Finalize()
end program
