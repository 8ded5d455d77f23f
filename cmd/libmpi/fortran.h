// What the subroutines for Fortran have in common.
#ifndef LIBMPI_FORTRAN_H
#define LIBMPI_FORTRAN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "entry.h"
#include "face.h"

// A face has these macros and functions:
//
//	NAMES(name, NAME)       gives a subroutine pmpi_NAME_ the names that programs call: of mpif.h and the
//	                        module mpi, and of the module mpi_f08. OLD_NAMES leaves out the latter.
//	CPTR_NAMES(name, NAME)  also names it as the form that takes a TYPE(C_PTR).
//	X_NAMES(name, NAME)     gives a subroutine pmpix_NAME_, of an extension, the names of both modules.
//	EARLY_NAMES(name, NAME) names a persistent collective operation as libraries did before MPI 4.0.
//	CALLBACK_NAMES          names a subroutine mpi_NAME_ that a program hands over in place of its own.
//	f_length                is the type of the length of a text, an argument at the end.
//	f_is(p, name)           tells whether an argument is the sentinel MPI_NAME, a variable in a common block.
//	f_text_is               is f_is for those of type CHARACTER.
//	f_sentinel(name)        is the variable, or its first element, and f08_sentinel(name) that of mpi_f08.
//	f_calls(handle)         tells the library that the function of an operator, or of an error handler, is of Fortran.
#if defined FACE_OPENMPI
#include "fortran_openmpi.h"
#elif defined FACE_MPICH
#include "fortran_mpich.h"
#else
#include "fortran_abi.h"
#endif

// f_address is a buffer in C.
static inline void *f_address(void *p) {
	if (f_is(p, bottom))
		return MPI_BOTTOM;
	if (f_is(p, in_place))
		return MPI_IN_PLACE;
	return f_automatic(p);
}

static inline MPI_Status *f_status(MPI_Status *p) { return f_is(p, status_ignore) ? MPI_STATUS_IGNORE : p; }

static inline MPI_Status *f_statuses(MPI_Status *p) { return f_is(p, statuses_ignore) ? MPI_STATUSES_IGNORE : p; }

static inline int *f_weights(int *p) {
	if (f_is(p, unweighted))
		return MPI_UNWEIGHTED;
	if (f_is(p, weights_empty))
		return MPI_WEIGHTS_EMPTY;
	return p;
}

static inline int *f_errcodes(int *p) { return f_is(p, errcodes_ignore) ? MPI_ERRCODES_IGNORE : p; }

// A descriptor is what a subroutine gets of an argument TYPE(*), DIMENSION(..): that of ISO_Fortran_binding.h if its
// interface has BIND(C), else that of gfortran. Both begin with the address.
struct descriptor {
	void *base;
};

// f_element is the size of an element.
size_t f_element(const struct descriptor *d);

// A section is a buffer in C. If elements lie apart, it has a datatype or memory that is made for the call.
struct section {
	void *address;
	MPI_Count count;
	MPI_Datatype type;
	int made, error;
	const char *cause; // why it is refused, NULL: it is not
};

// f_section is a buffer of count elements of a type. f_whole is one that must be contiguous.
struct section f_section(const struct descriptor *d, MPI_Count count, MPI_Datatype type);
struct section f_whole(const struct descriptor *d);

// f_copy is a buffer that is used during the call alone. f_copy_free copies it back, if the call may have written it.
struct section f_copy(const struct descriptor *d);
void f_copy_free(struct section *s, const struct descriptor *d, int written);

// f_wrong is the error of a section. The handler of an object of the call is told of one that is refused.
void f_refused(const char *call, const char *cause);
#define f_wrong(s, call, kind, handle) \
	((s).cause ? (f_refused(call, (s).cause), PMPI_##kind##_call_errhandler(handle, MPI_ERR_BUFFER), (s).error) : \
		(s).error)

// f_section_free frees the datatype. The operation that has begun keeps it.
static inline void f_section_free(struct section *s) {
	if (s->made)
		PMPI_Type_free(&s->type);
}

// f_handle is a handle in C, and f_integer in Fortran.
#define f_handle(kind, handle) ((MPI_##kind)libmpi_from_fortran(F_##kind, handle))
#define f_integer(handle) libmpi_to_fortran(handle)

// f_handles makes an array of handles in C; f_release frees it, and writes the handles to
// back before, unless that is NULL. Where handles are ints in both languages it is the same array.
#ifdef FACE_MPICH
#define f_handles(kind, handles, n) ((void)(n), (int *)(uintptr_t)(handles))
#define f_release(array, n, back) ((void)(array))
#else
#define f_handles(kind, handles, n) f_objects(F_##kind, handles, n)
void *f_objects(enum f_kind kind, const int *handles, int n);
void f_release(void *array, int n, int *back);
#endif

// f_index and f_indices count from 1 what C has counted from 0, and pass on what C has written.
#define UNWRITTEN INT_MIN
void f_index(int *index, int written);
void f_indices(int *outcount, int written, int *indices);

// f_string makes a string of a text without the blanks at its end, and f_stripped also without those
// at its beginning. The caller frees it.
char *f_string(const char *text, size_t length);
char *f_stripped(const char *text, size_t length);

// f_strings makes strings of n texts. f_argv makes the arguments of a program, which end with a
// text of blanks, and f_argvs those of n programs: a text of each, then the next one of each. The
// functions with _free free them.
char **f_strings(const char *texts, size_t length, int n);
char **f_argv(const char *texts, size_t length);
char ***f_argvs(const char *texts, size_t length, int n);
void f_strings_free(char **strings, int n);
void f_argv_free(char **argv);
void f_argvs_free(char ***argvs, int n);

// f_error ends a subroutine. It hands back an error code, unless the argument is missing.
static inline void f_error(int *ierror, int error) {
	libmpi_fortran = 0;
	if (ierror)
		*ierror = error;
}

// f_text fills a text with a string and blanks, unless there is an error.
void f_text(int error, char *text, size_t length, const char *string);

// f_members is the number of processes that this one exchanges blocks with in a collective
// operation. f_neighbors is the number of neighbours that it sends to (out) or receives from.
int f_members(int comm);
int f_neighbors(int comm, int out);

#endif
