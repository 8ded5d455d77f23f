// The subroutines for Fortran.
#include "gen/fortran.c"
#include "gen/fortran_f08.c"
