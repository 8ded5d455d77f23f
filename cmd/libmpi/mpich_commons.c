//go:build mpich

// The common blocks of mpif.h, with the sizes that they have in MPICH.
#include "fortran.h"

__typeof__(mpipriv1_) mpipriv1_;
__typeof__(mpipriv2_) mpipriv2_;
__typeof__(mpiprivc_) mpiprivc_;
int mpifcmb5_[1], mpifcmb9_[1], mpifcmba_;
