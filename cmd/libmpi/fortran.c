// The subroutines for Fortran.
#include "gen/fortran.c"
