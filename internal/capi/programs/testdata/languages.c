/* The C part of languages.f90: attributes as C sees them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int cell = 42, copy_cell = 43;
static MPI_Aint given, deleted;

static void check(int right, const char *what)
{
	if (!right) {
		printf("in C: %s is wrong\n", what);
		exit(77);
	}
}

void c_sets_(MPI_Fint *comm, MPI_Fint *key) { MPI_Comm_set_attr(MPI_Comm_f2c(*comm), *key, &cell); }

static void *got(MPI_Fint comm, MPI_Fint key)
{
	void *value = NULL;
	int flag = 0;
	MPI_Comm_get_attr(MPI_Comm_f2c(comm), key, &value, &flag);
	check(flag, "a flag");
	return value;
}

void c_has_pointer_(MPI_Fint *comm, MPI_Fint *key) { check(got(*comm, *key) == &cell, "a pointer"); }
void c_has_integer_(MPI_Fint *comm, MPI_Fint *key, MPI_Fint *value) {
	check(*(int *)got(*comm, *key) == *value, "an INTEGER");
}
void c_has_address_(MPI_Fint *comm, MPI_Fint *key, MPI_Aint *value)
{
	MPI_Aint *at = got(*comm, *key);
	check(*at == *value, "an INTEGER of the size of an address");
	check(at == got(*comm, *key), "the place of an INTEGER");
}
void c_has_copy_(MPI_Fint *comm, MPI_Fint *key) {
	check(got(*comm, *key) == &copy_cell, "what the callback in C has copied");
}

/* Where the cells are, and what the callbacks were given last. */
void c_cell_(MPI_Aint *at) { *at = (MPI_Aint)&cell; }
void c_copy_cell_(MPI_Aint *at) { *at = (MPI_Aint)&copy_cell; }
void c_given_(MPI_Aint *value) { *value = given; }
void c_deleted_(MPI_Aint *value) { *value = deleted; }

/* Callbacks whose values are pointers: to cell, to an int, or to an MPI_Aint, as the extra state says. */
static MPI_Aint behind(void *value, void *extra)
{
	switch ((MPI_Aint)extra) {
	case 0: return (MPI_Aint)value;
	case 1: return *(int *)value;
	}
	return *(MPI_Aint *)value;
}
static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	given = behind(in, extra);
	*(void **)out = &copy_cell;
	*flag = 1;
	return MPI_SUCCESS;
}
static int copy_same(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	*(void **)out = in;
	*flag = 1;
	return MPI_SUCCESS;
}
static int delete(MPI_Comm comm, int key, void *value, void *extra)
{
	deleted = value == &copy_cell ? 0 : behind(value, extra);
	return MPI_SUCCESS;
}

void c_key_(MPI_Fint *kind, MPI_Fint *key) { MPI_Comm_create_keyval(copy, delete, key, (void *)(MPI_Aint)*kind); }
void c_key_same_(MPI_Fint *key) { MPI_Comm_create_keyval(copy_same, MPI_COMM_NULL_DELETE_FN, key, NULL); }

void c_type_(MPI_Fint *type, MPI_Fint *key, MPI_Aint *value)
{
	MPI_Aint *at = NULL;
	int flag = 0;
	MPI_Type_get_attr(MPI_Type_f2c(*type), *key, &at, &flag);
	check(flag && *at == *value, "an attribute of a datatype");
	MPI_Type_set_attr(MPI_Type_f2c(*type), *key, &cell);
}

void c_predefined_(MPI_Fint *largest)
{
	int *tag = got(MPI_Comm_c2f(MPI_COMM_WORLD), MPI_TAG_UB);
	check(*tag == *largest, "MPI_TAG_UB");
}
