// What the face of Open MPI has for fortran.h.
#ifndef LIBMPI_FORTRAN_OPENMPI_H
#define LIBMPI_FORTRAN_OPENMPI_H

// The common blocks of mpif.h and of the modules. A program or a library that is loaded before this one may have a
// block of its own: that is the one that counts, so these are always looked up by name.
extern int mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_unweighted_, mpi_fortran_weights_empty_,
	mpi_fortran_errcodes_ignore_;
extern int mpi_fortran_status_ignore_[], mpi_fortran_statuses_ignore_[];
extern char mpi_fortran_argv_null_, mpi_fortran_argvs_null_;

#define f_is(p, name) ((const void *)(p) == (const void *)&mpi_fortran_##name##_)
#define f_text_is(p, name) f_is(p, name)
#define f_sentinel(name) mpi_fortran_##name##_
#define f08_sentinel f_sentinel

static inline void *f_automatic(void *p) { return p; }
static inline void f_detached(void *address) { (void)address; }

// gfortran hands over 64 bits as the length of a text, but the library for mpi_f08 an int.
typedef unsigned f_length;

// The spellings of four compilers, and the name that the library for mpi_f08 calls.
#include "fortran_spellings.h"
#define SPELLINGS(name, NAME, to) SPELLED(name, NAME, to) WEAK(weak ompi##name##_f = to)
#define NAMES(name, NAME) SPELLINGS(_##name, _##NAME, pmpi_##name##_)
#define OLD_NAMES NAMES
#define X_NAMES(name, NAME) SPELLINGS(x_##name, X_##NAME, pmpix_##name##_)
#define OTHER_NAMES(name, NAME, to) \
	SPELLINGS(name, NAME, to) \
	WEAK(weak pmpi##name##_ = to)
#define CPTR_NAMES(name, NAME) OTHER_NAMES(_##name##_cptr, _##NAME##_CPTR, pmpi_##name##_)
#define EARLY_NAMES(name, NAME) OTHER_NAMES(x_##name, X_##NAME, pmpi_##name##_)

// A predefined handle is another integer in Fortran: see face.h. So functions of the program get it as they know it.
static inline void f_calls(int handle) {
	int64_t words[] = {handle};
	if (handle >= LIBMPI_CONSTANTS)
		libmpi_call(OP_FORTRAN, words);
}

#endif
