//go:build mpich

// What MPICH's own libraries for Fortran and C++ ask its core for besides the functions of MPI. The former serves
// mpi_f08.
#include <stdlib.h>

#include "attributes.h"
#include "entry.h"
#include "face.h"

// What an attribute is: a pointer, or an integer of Fortran.
enum { POINTER = 0, ADDRESS_SIZE = 1, INTEGER = 3 };

static int language(int type) { return type == POINTER ? IN_C : type == ADDRESS_SIZE ? IN_ADDRESS_SIZE : IN_INTEGER; }

// A value is passed in place of a pointer.
#define ATTRIBUTE(Name, kind) \
	int MPII_##Name##_set_attr(MPI_##kind object, int key, void *value, int type) { \
		int in = language(type); \
		if (in == IN_C) \
			return MPI_##Name##_set_attr(object, key, value); \
		libmpi_value[in] = in == IN_INTEGER ? (int)(intptr_t)value : (intptr_t)value; \
		return MPI_##Name##_set_attr(object, key, VALUE_OF(in)); \
	} \
	int MPII_##Name##_get_attr(MPI_##kind object, int key, void *value, int *flag, int type) { \
		int in = language(type); \
		if (in == IN_C) \
			return MPI_##Name##_get_attr(object, key, value, flag); \
		int error = MPI_##Name##_get_attr(object, key, VALUE_OF(in), flag); \
		if (error == MPI_SUCCESS && *flag) \
			*(intptr_t *)value = libmpi_value[in]; \
		return error; \
	}

ATTRIBUTE(Comm, Comm)
ATTRIBUTE(Type, Datatype)
ATTRIBUTE(Win, Win)

// Callbacks of Fortran take other arguments than those of C. So functions of this library stand in their place, and get
// these as extra state, which is there as long as attributes: for ever.
struct callbacks {
	void *function[3], *state;      // of the program
	void *proxy, *delete_proxy; // that call them
};

// replace puts functions in the place of callbacks: see capi.ReplaceCallbacks.
static void replace(struct callbacks *c, int64_t number, void *first, void *second, void *third) {
	int64_t words[] = {number, (intptr_t)first, (intptr_t)second, (intptr_t)third, (intptr_t)c, 0};
	libmpi_call(OP_REPLACE, words);
	if (!words[5]) {
		free(c);
		return;
	}
	for (int i = 0; i < 3; i++)
		c->function[i] = (void *)(intptr_t)words[1 + i];
	c->state = (void *)(intptr_t)words[4];
}

// The proxies of Fortran take a value as it is. That of C++ would take an integer for the address of one.
static int copy(void *object, int key, void *state, void *in, void *out, int *flag) {
	typedef int proxy(void *, int, int, void *, int, void *, void **, int *);
	struct callbacks *c = state;
	if (!c->function[0]) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	return ((proxy *)c->proxy)(c->function[0], (int)(intptr_t)object, key, c->state, POINTER, in, out, flag);
}

static int delete(void *object, int key, void *value, void *state) {
	typedef int proxy(void *, int, int, int, void *, void *);
	struct callbacks *c = state;
	if (!c->function[1])
		return MPI_SUCCESS;
	return ((proxy *)c->delete_proxy)(c->function[1], (int)(intptr_t)object, key, POINTER, value, c->state);
}

void MPII_Keyval_set_proxy(int key, void *copy_proxy, void *delete_proxy) {
	struct callbacks *c = calloc(1, sizeof *c);
	if (!c)
		return;
	c->proxy = copy_proxy;
	c->delete_proxy = delete_proxy;
	replace(c, (int64_t)key << 4, copy, delete, NULL);
}

static int query(void *state, MPI_Status *status) {
	struct callbacks *c = state;
	int error = MPI_SUCCESS;
	((void (*)(void *, MPI_Status *, int *))c->function[0])(c->state, status, &error);
	return error;
}

static int release(void *state) {
	struct callbacks *c = state;
	int error = MPI_SUCCESS;
	((void (*)(void *, int *))c->function[1])(c->state, &error);
	free(c);
	return error;
}

static int cancel(void *state, int complete) {
	struct callbacks *c = state;
	int error = MPI_SUCCESS;
	((void (*)(void *, int *, int *))c->function[2])(c->state, &complete, &error);
	return error;
}

void MPII_Grequest_set_lang_f77(MPI_Request request) {
	struct callbacks *c = calloc(1, sizeof *c);
	if (c)
		replace(c, libmpi_number(request), query, release, cancel);
}

// An operator of C++ is called by a function of that library.
static void operate(void *in, void *inout, int *n, MPI_Datatype *type, void *state) {
	struct callbacks *c = state;
	((void (*)(const void *, void *, int, MPI_Datatype, void *))c->proxy)(in, inout, *n, *type, c->function[0]);
}

void MPII_Op_set_cxx(MPI_Op op, void *proxy) {
	struct callbacks *c = calloc(1, sizeof *c);
	if (!c)
		return;
	c->proxy = proxy;
	replace(c, libmpi_number(op), operate, NULL, NULL);
}

// MPII_Errhandler_set_cxx makes an error handler one of C++, which a function of that library calls.
void MPII_Errhandler_set_cxx(MPI_Errhandler handler, void *proxy) {
	struct libmpi_proxied *c = malloc(sizeof *c);
	if (!c)
		return;
	int64_t words[] = {libmpi_number(handler), LIBMPI_PROXIED | (intptr_t)c, 0, 0, 0, 0};
	libmpi_call(OP_REPLACE, words);
	if (!words[5]) {
		free(c);
		return;
	}
	*c = (struct libmpi_proxied){proxy, (void *)(intptr_t)words[1], (int)words[2]};
}
