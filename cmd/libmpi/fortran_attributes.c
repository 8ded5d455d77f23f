// Attributes for Fortran, where a value is an integer: of the size of an address, or in the
// subroutines of MPI 1 a default INTEGER.
//
// A callback of Fortran takes all its arguments by reference. A C function stands in for it, and
// finds it in the extra state. That state is never freed: attributes outlive their key.
#include "fortran.h"

typedef void copy_subroutine(int *handle, int *key, void *extra, void *in, void *out, int *flag, int *ierror);
typedef void delete_subroutine(int *handle, int *key, void *value, void *extra, int *ierror);

struct state {
	copy_subroutine *copy;
	delete_subroutine *delete;
	MPI_Aint extra;
	int old_extra; // of the subroutines of MPI 1
};

static int copy(void *handle, int key, void *state, void *in, void *out, int *flag) {
	struct state *s = state;
	int object = (int)(intptr_t)handle, ierror = MPI_SUCCESS;
	MPI_Aint from = (MPI_Aint)in, to = 0;
	s->copy(&object, &key, &s->extra, &from, &to, flag, &ierror);
	if (ierror == MPI_SUCCESS && *flag)
		*(void **)out = (void *)to;
	return ierror;
}

static int delete(void *handle, int key, void *value, void *state) {
	struct state *s = state;
	int object = (int)(intptr_t)handle, ierror = MPI_SUCCESS;
	MPI_Aint v = (MPI_Aint)value;
	s->delete(&object, &key, &v, &s->extra, &ierror);
	return ierror;
}

static int old_copy(void *handle, int key, void *state, void *in, void *out, int *flag) {
	struct state *s = state;
	int object = (int)(intptr_t)handle, ierror = MPI_SUCCESS, from = (int)(intptr_t)in, to = 0;
	s->copy(&object, &key, &s->old_extra, &from, &to, flag, &ierror);
	if (ierror == MPI_SUCCESS && *flag)
		*(void **)out = (void *)(intptr_t)to;
	return ierror;
}

static int old_delete(void *handle, int key, void *value, void *state) {
	struct state *s = state;
	int object = (int)(intptr_t)handle, ierror = MPI_SUCCESS, v = (int)(intptr_t)value;
	s->delete(&object, &key, &v, &s->old_extra, &ierror);
	return ierror;
}

static struct state *state(void *copy_fn, void *delete_fn, MPI_Aint extra, int *ierror) {
	struct state *s = malloc(sizeof *s);
	if (s)
		*s = (struct state){(copy_subroutine *)copy_fn, (delete_subroutine *)delete_fn, extra, (int)extra};
	else
		*ierror = MPI_ERR_NO_MEM;
	return s;
}

#define CREATE(name, KIND) \
	void pmpi_##name##_create_keyval_(void *copy_fn, void *delete_fn, int *key, MPI_Aint *extra, int *ierror) { \
		struct state *s = state(copy_fn, delete_fn, *extra, ierror); \
		if (s) \
			*ierror = MPI_##KIND##_create_keyval((MPI_##KIND##_copy_attr_function *)copy, (MPI_##KIND##_delete_attr_function *)delete, key, s); \
	}

CREATE(comm, Comm)
CREATE(type, Type)
CREATE(win, Win)
#pragma weak mpi_comm_create_keyval_ = pmpi_comm_create_keyval_
#pragma weak mpi_type_create_keyval_ = pmpi_type_create_keyval_
#pragma weak mpi_win_create_keyval_ = pmpi_win_create_keyval_

void pmpi_keyval_create_(void *copy_fn, void *delete_fn, int *key, int *extra, int *ierror) {
	struct state *s = state(copy_fn, delete_fn, *extra, ierror);
	if (s)
		*ierror = MPI_Keyval_create((MPI_Copy_function *)old_copy, (MPI_Delete_function *)old_delete, key, s);
}
#pragma weak mpi_keyval_create_ = pmpi_keyval_create_

// C gets the address of a predefined attribute, and Fortran its value.

void pmpi_comm_get_attr_(int *comm, int *key, MPI_Aint *value, int *flag, int *ierror) {
	void *v = NULL;
	*ierror = MPI_Comm_get_attr(f_handle(*comm), *key, &v, flag);
	if (*ierror == MPI_SUCCESS && *flag)
		*value = *key >= MPI_TAG_UB && *key <= MPI_UNIVERSE_SIZE ? *(int *)v : (MPI_Aint)v;
}
#pragma weak mpi_comm_get_attr_ = pmpi_comm_get_attr_

void pmpi_attr_get_(int *comm, int *key, int *value, int *flag, int *ierror) {
	MPI_Aint v = 0;
	pmpi_comm_get_attr_(comm, key, &v, flag, ierror);
	if (*ierror == MPI_SUCCESS && *flag)
		*value = (int)v;
}
#pragma weak mpi_attr_get_ = pmpi_attr_get_

void pmpi_attr_put_(int *comm, int *key, int *value, int *ierror) {
	*ierror = MPI_Attr_put(f_handle(*comm), *key, (void *)(intptr_t)*value);
}
#pragma weak mpi_attr_put_ = pmpi_attr_put_

void pmpi_win_get_attr_(int *win, int *key, MPI_Aint *value, int *flag, int *ierror) {
	void *v = NULL;
	*ierror = MPI_Win_get_attr(f_handle(*win), *key, &v, flag);
	if (*ierror != MPI_SUCCESS || !*flag)
		return;
	switch (*key) {
	case MPI_WIN_SIZE:
		*value = *(MPI_Aint *)v;
		break;
	case MPI_WIN_DISP_UNIT: case MPI_WIN_CREATE_FLAVOR: case MPI_WIN_MODEL:
		*value = *(int *)v;
		break;
	default:
		*value = (MPI_Aint)v;
	}
}
#pragma weak mpi_win_get_attr_ = pmpi_win_get_attr_

// The predefined callbacks, for keys of either kind: extra states and values of MPI 1 are ints.

#define CALLBACKS(prefix, integer) \
	void mpi_##prefix##null_copy_fn_(int *h, int *k, integer *e, integer *in, integer *out, int *flag, int *ierror) { \
		*flag = 0; \
		*ierror = MPI_SUCCESS; \
	} \
	void mpi_##prefix##dup_fn_(int *h, int *k, integer *e, integer *in, integer *out, int *flag, int *ierror) { \
		*out = *in; \
		*flag = 1; \
		*ierror = MPI_SUCCESS; \
	} \
	void mpi_##prefix##null_delete_fn_(int *h, int *k, integer *value, integer *e, int *ierror) { \
		*ierror = MPI_SUCCESS; \
	}

CALLBACKS(, int)
CALLBACKS(comm_, MPI_Aint)
CALLBACKS(type_, MPI_Aint)
CALLBACKS(win_, MPI_Aint)
