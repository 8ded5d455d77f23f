//go:build openmpi

// What programs in C++ ask libmpi_cxx.so.40 for because they have included mpi.h, though they call MPI as C
// does. The objects of MPI's own C++ interface, which MPI 3.0 removed, are not here.
//
// A class has its table of virtual functions in the first word, and a handle in the second. The constructor of a
// base class leaves the table to that of the class.
#include <stddef.h>

#include "face.h"

struct object {
	void *table;
	union {
		MPI_Comm comm;
		MPI_Datatype type;
		MPI_Win win;
	};
};

void type_free(struct object *this) __asm__("_ZN3MPI8Datatype4FreeEv");
void type_free(struct object *this) { MPI_Type_free(&this->type); }

void win_free(struct object *this) __asm__("_ZN3MPI3Win4FreeEv");
void win_free(struct object *this) { MPI_Win_free(&this->win); }

void comm(struct object *this) __asm__("_ZN3MPI4CommC2Ev");
void comm(struct object *this) { this->comm = MPI_COMM_NULL; }

// The table of the class in the program, after the two words that begin it.
extern void *table[] __asm__("_ZTVN3MPI8DatatypeE") __attribute__((weak));

// An operator calls this function for one that was made in C++: see ompi_op_set_cxx_callback.
void ompi_mpi_cxx_op_intercept(void *in, void *inout, int *n, MPI_Datatype *type,
	void (*function)(const void *, void *, int, const struct object *)) {
	struct object seen = {table ? table + 2 : NULL, .type = *type};
	function(in, inout, *n, &seen);
}
