/* Extensions, which mpi.h has all. Programs for Open MPI include this header for them. */
#ifndef MPI_EXT_H
#define MPI_EXT_H

#include <mpi.h>

#endif
