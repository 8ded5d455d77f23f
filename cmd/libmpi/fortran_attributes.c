// Attributes for Fortran, where a value is an integer: of the size of an address, or in the
// subroutines of MPI 1 a default INTEGER.
//
// A callback of Fortran takes all its arguments by reference. A C function stands in for it, and
// finds it in the extra state. That state is never freed: attributes outlive their key.
#include "attributes.h"
#include "fortran.h"

__thread intptr_t libmpi_value[3];

typedef void copy_subroutine(int *handle, int *key, void *extra, void *in, void *out, int *flag, int *ierror);
typedef void delete_subroutine(int *handle, int *key, void *value, void *extra, int *ierror);

struct state {
	copy_subroutine *copy;
	delete_subroutine *delete;
	MPI_Aint extra;
	int old_extra; // of the subroutines of MPI 1
};

int libmpi_copy(void *handle, int key, void *state, void *in, void *out, int *flag) {
	struct state *s = state;
	int object = f_integer(handle), ierror = MPI_SUCCESS;
	MPI_Aint from = (MPI_Aint)in, to = 0;
	s->copy(&object, &key, &s->extra, &from, &to, flag, &ierror);
	if (ierror == MPI_SUCCESS && *flag)
		*(void **)out = (void *)to;
	return ierror;
}

static int delete(void *handle, int key, void *value, void *state) {
	struct state *s = state;
	int object = f_integer(handle), ierror = MPI_SUCCESS;
	MPI_Aint v = (MPI_Aint)value;
	s->delete(&object, &key, &v, &s->extra, &ierror);
	return ierror;
}

int libmpi_old_copy(void *handle, int key, void *state, void *in, void *out, int *flag) {
	struct state *s = state;
	int object = f_integer(handle), ierror = MPI_SUCCESS, from = (int)(intptr_t)in, to = 0;
	s->copy(&object, &key, &s->old_extra, &from, &to, flag, &ierror);
	if (ierror == MPI_SUCCESS && *flag)
		*(void **)out = (void *)(intptr_t)to;
	return ierror;
}

static int old_delete(void *handle, int key, void *value, void *state) {
	struct state *s = state;
	int object = f_integer(handle), ierror = MPI_SUCCESS, v = (int)(intptr_t)value;
	s->delete(&object, &key, &v, &s->old_extra, &ierror);
	return ierror;
}

static struct state *state(void *copy_fn, void *delete_fn, MPI_Aint extra, int *ierror) {
	struct state *s = malloc(sizeof *s);
	if (s)
		*s = (struct state){(copy_subroutine *)copy_fn, (delete_subroutine *)delete_fn, extra, (int)extra};
	else
		f_error(ierror, MPI_ERR_NO_MEM);
	return s;
}

#define CREATE(name, KIND) \
	void pmpi_##name##_create_keyval_(void *copy_fn, void *delete_fn, int *key, MPI_Aint *extra, int *ierror) { \
		struct state *s = state(copy_fn, delete_fn, *extra, ierror); \
		if (s) \
			f_error(ierror, MPI_##KIND##_create_keyval((MPI_##KIND##_copy_attr_function *)libmpi_copy, \
				(MPI_##KIND##_delete_attr_function *)delete, key, s)); \
	}

CREATE(comm, Comm)
CREATE(type, Type)
CREATE(win, Win)
NAMES(comm_create_keyval, COMM_CREATE_KEYVAL)
NAMES(type_create_keyval, TYPE_CREATE_KEYVAL)
NAMES(win_create_keyval, WIN_CREATE_KEYVAL)

void pmpi_keyval_create_(void *copy_fn, void *delete_fn, int *key, int *extra, int *ierror) {
	struct state *s = state(copy_fn, delete_fn, *extra, ierror);
	if (s)
		*ierror = MPI_Keyval_create((MPI_Copy_function *)libmpi_old_copy, (MPI_Delete_function *)old_delete, key, s);
}
OLD_NAMES(keyval_create, KEYVAL_CREATE)

#define ATTRIBUTE(name, Name, kind) \
	void pmpi_##name##_set_attr_(int *object, int *key, MPI_Aint *value, int *ierror) { \
		libmpi_value[IN_ADDRESS_SIZE] = *value; \
		f_error(ierror, MPI_##Name##_set_attr(f_handle(kind, *object), *key, VALUE_OF(IN_ADDRESS_SIZE))); \
	} \
	void pmpi_##name##_get_attr_(int *object, int *key, MPI_Aint *value, int *flag, int *ierror) { \
		int error = MPI_##Name##_get_attr(f_handle(kind, *object), *key, VALUE_OF(IN_ADDRESS_SIZE), flag); \
		if (error == MPI_SUCCESS && *flag) \
			*value = libmpi_value[IN_ADDRESS_SIZE]; \
		f_error(ierror, error); \
	}

ATTRIBUTE(comm, Comm, Comm)
ATTRIBUTE(type, Type, Datatype)
ATTRIBUTE(win, Win, Win)
NAMES(comm_set_attr, COMM_SET_ATTR)
NAMES(comm_get_attr, COMM_GET_ATTR)
NAMES(type_set_attr, TYPE_SET_ATTR)
NAMES(type_get_attr, TYPE_GET_ATTR)
NAMES(win_set_attr, WIN_SET_ATTR)
NAMES(win_get_attr, WIN_GET_ATTR)

void pmpi_attr_put_(int *comm, int *key, int *value, int *ierror) {
	libmpi_value[IN_INTEGER] = *value;
	*ierror = MPI_Attr_put(f_handle(Comm, *comm), *key, VALUE_OF(IN_INTEGER));
}
OLD_NAMES(attr_put, ATTR_PUT)

void pmpi_attr_get_(int *comm, int *key, int *value, int *flag, int *ierror) {
	*ierror = MPI_Attr_get(f_handle(Comm, *comm), *key, VALUE_OF(IN_INTEGER), flag);
	if (*ierror == MPI_SUCCESS && *flag)
		*value = (int)libmpi_value[IN_INTEGER];
}
OLD_NAMES(attr_get, ATTR_GET)

// The predefined callbacks, for keys of either kind: extra states and values of MPI 1 are ints.

#define CALLBACKS(prefix, PREFIX, integer) \
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
	} \
	CALLBACK_NAMES(prefix##null_copy_fn, PREFIX##NULL_COPY_FN) \
	CALLBACK_NAMES(prefix##dup_fn, PREFIX##DUP_FN) \
	CALLBACK_NAMES(prefix##null_delete_fn, PREFIX##NULL_DELETE_FN)

CALLBACKS(, , int)
CALLBACKS(comm_, COMM_, MPI_Aint)
CALLBACKS(type_, TYPE_, MPI_Aint)
CALLBACKS(win_, WIN_, MPI_Aint)
