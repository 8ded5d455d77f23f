//go:build openmpi

// The common blocks of mpif.h, with the sizes that they have in Open MPI.
#include "fortran.h"

int mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_unweighted_, mpi_fortran_weights_empty_,
	mpi_fortran_errcodes_ignore_;
int mpi_fortran_status_ignore_[2], mpi_fortran_statuses_ignore_[2];
char mpi_fortran_argv_null_, mpi_fortran_argvs_null_;
