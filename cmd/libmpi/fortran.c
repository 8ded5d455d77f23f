// The subroutines for Fortran. The libraries of Open MPI and of MPICH serve mpi_f08, by these or by the functions of C.
#include "gen/fortran.c"
#if !defined FACE_OPENMPI && !defined FACE_MPICH
#include "gen/fortran_f08.c"
#endif
