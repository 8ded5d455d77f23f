//go:build mpich

// What the face of MPICH has besides: see face.h.
#include "entry.h"
#include "face.h"

#include "gen/mpich.c"

// Sentinels that a program reads at run time, and may have a copy of. They are macros in the header of this library.
#define SENTINEL(name, value) extern void *const object_##name __asm__(#name); void *const object_##name = value;

SENTINEL(MPI_UNWEIGHTED, MPI_UNWEIGHTED)
SENTINEL(MPI_WEIGHTS_EMPTY, MPI_WEIGHTS_EMPTY)
SENTINEL(MPI_T_PVAR_ALL_HANDLES, MPI_T_PVAR_ALL_HANDLES)

// Those of mpi_f08.
int MPIR_F08_MPI_BOTTOM, MPIR_F08_MPI_IN_PLACE;
MPI_Status MPIR_F08_MPI_STATUS_IGNORE_OBJ, MPIR_F08_MPI_STATUSES_IGNORE_OBJ;
int *MPIR_C_MPI_UNWEIGHTED = MPI_UNWEIGHTED, *MPIR_C_MPI_WEIGHTS_EMPTY = MPI_WEIGHTS_EMPTY;

// MPIR_Dup_fn is MPI_COMM_DUP_FN, MPI_TYPE_DUP_FN and MPI_WIN_DUP_FN.
int MPIR_Dup_fn(MPI_Comm object, int key, void *state, void *in, void *out, int *flag) {
	*flag = 1;
	*(void **)out = in;
	return MPI_SUCCESS;
}

// Extensions. The library has no memory of devices, and no generalized requests that it polls for.

#define EXTENSION(name, arguments) int MPIX_##name arguments __attribute__((weak, alias("PMPIX_" #name)));
#define NOT_THERE(name, arguments) \
	EXTENSION(name, arguments) \
	int PMPIX_##name arguments { return MPI_ERR_UNSUPPORTED_OPERATION; }

int PMPIX_Query_cuda_support(void) { return 0; }
int PMPIX_Query_ze_support(void) { return 0; }
int PMPIX_Query_hip_support(void) { return 0; }
int PMPIX_GPU_query_support(int kind, int *supported) {
	*supported = 0;
	return MPI_SUCCESS;
}
int PMPIX_Delete_error_class(int class) { return PMPI_Remove_error_class(class); }
int PMPIX_Delete_error_code(int code) { return PMPI_Remove_error_code(code); }
int PMPIX_Delete_error_string(int code) { return PMPI_Remove_error_string(code); }
EXTENSION(Query_cuda_support, (void))
EXTENSION(Query_ze_support, (void))
EXTENSION(Query_hip_support, (void))
EXTENSION(GPU_query_support, (int kind, int *supported))
EXTENSION(Delete_error_class, (int class))
EXTENSION(Delete_error_code, (int code))
EXTENSION(Delete_error_string, (int code))
NOT_THERE(Grequest_start,
	(void *query, void *free, void *cancel, void *poll, void *wait, void *state, MPI_Request *made))
NOT_THERE(Grequest_class_create, (void *query, void *free, void *cancel, void *poll, void *wait, int *class))
NOT_THERE(Grequest_class_allocate, (int class, void *state, MPI_Request *made))
