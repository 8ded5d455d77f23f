/* Extensions, which mpi.h has all. Programs for Open MPI include this header for them, and test these names. */
#ifndef MPI_EXT_H
#define MPI_EXT_H

#include <mpi.h>

#define OMPI_HAVE_MPI_EXT 1
#define OMPI_HAVE_MPI_EXT_FTMPI 1
#define OMPI_HAVE_MPIX_COMM_GET_FAILED 1
#define OMPI_HAVE_MPIX_COMM_ACK_FAILED 1
#define OMPI_HAVE_MPIX_COMM_ISHRINK 1

#endif
