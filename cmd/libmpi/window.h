// One-sided calls that C answers without a call of Go. See window.c.
#ifndef LIBMPI_WINDOW_H
#define LIBMPI_WINDOW_H

#include <stdint.h>

#include "face.h"

#pragma GCC visibility push(hidden)

// Each does what the function of its name does and returns 1, or returns 0 and has done nothing: then Go does it.
int libmpi_short_put(const void *from, MPI_Count n, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count m,
	MPI_Datatype of, MPI_Win win);
int libmpi_short_get(void *to, MPI_Count n, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count m, MPI_Datatype of,
	MPI_Win win);
int libmpi_short_accumulate(const void *from, MPI_Count n, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count m,
	MPI_Datatype of, MPI_Op op, MPI_Win win);
int libmpi_short_fetch_and_op(const void *from, void *result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op op,
	MPI_Win win);
int libmpi_short_compare_and_swap(const void *from, const void *compare, void *result, MPI_Datatype type, int rank,
	MPI_Aint disp, MPI_Win win);
int libmpi_short_win_flush(int rank, MPI_Win win);
int libmpi_short_win_lock(int kind, int rank, int assertion, MPI_Win win);
int libmpi_short_win_unlock(int rank, MPI_Win win);

#pragma GCC visibility pop

#endif
