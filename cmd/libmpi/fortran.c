// The subroutines for Fortran. Open MPI's own library serves mpi_f08, by those of the module mpi.
#include "gen/fortran.c"
#ifndef FACE_OPENMPI
#include "gen/fortran_f08.c"
#endif
