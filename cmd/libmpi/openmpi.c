//go:build openmpi

// What the face of Open MPI has besides: see face.h.
#define _GNU_SOURCE
#include "entry.h"
#include "face.h"

#include "gen/openmpi.c"

int64_t libmpi_constant(intptr_t number) {
	if (libmpi_objects[number])
		libmpi_alone();
	return number;
}

// The functions that stand for the callbacks which the standard ABI has as constants.

#define CALLBACKS(KIND, Type) \
	int OMPI_C_MPI_##KIND##NULL_DELETE_FN(Type object, int key, void *value, void *state) { return MPI_SUCCESS; } \
	int OMPI_C_MPI_##KIND##NULL_COPY_FN(Type object, int key, void *state, void *in, void *out, int *flag) { \
		*flag = 0; \
		return MPI_SUCCESS; \
	} \
	int OMPI_C_MPI_##KIND##DUP_FN(Type object, int key, void *state, void *in, void *out, int *flag) { \
		*flag = 1; \
		*(void **)out = in; \
		return MPI_SUCCESS; \
	}

CALLBACKS(, MPI_Comm)
CALLBACKS(COMM_, MPI_Comm)
CALLBACKS(TYPE_, MPI_Datatype)
CALLBACKS(WIN_, MPI_Win)

// ompi_op_set_cxx_callback is for operators of the C++ interface: their function, which is part of that, calls another
// one, its last argument.
void ompi_op_set_cxx_callback(MPI_Op op, MPI_User_function *function) {
	int64_t words[] = {libmpi_number(op), (intptr_t)function};
	libmpi_call(OP_ARGUMENT, words);
}

// The library has no memory of devices.
int MPIX_Query_cuda_support(void) { return 0; }
int MPIX_Query_rocm_support(void) { return 0; }

// MPI_Session_set_info is Open MPI 5's own. No hint changes a session that is there.
int PMPI_Session_set_info(MPI_Session session, MPI_Info info) {
	MPI_Info now;
	int error = PMPI_Session_get_info(session, &now); // which checks the handle
	(void)info;
	return error == MPI_SUCCESS ? PMPI_Info_free(&now) : error;
}
#pragma weak MPI_Session_set_info = PMPI_Session_set_info
