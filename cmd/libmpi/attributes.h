// Which language a call that is about attributes comes from. The values are those of Language in package
// capi.
//
// The subroutines for Fortran call the functions of C, so that tools see the call. In place of a
// pointer they pass the address of a word of their own, which no program has: the word has the
// integer, or gets it.
#ifndef LIBMPI_ATTRIBUTES_H
#define LIBMPI_ATTRIBUTES_H

#include <stdint.h>

enum libmpi_language { IN_C, IN_INTEGER, IN_ADDRESS_SIZE };

#pragma GCC visibility push(hidden)

// libmpi_value has the integer of a call, by its language. A callback of the call may change it.
extern __thread intptr_t libmpi_value[3] __attribute__((tls_model("initial-exec")));

// A call has the integer of the thread in place of a pointer.
#define VALUE_OF(language) ((void *)&libmpi_value[language])

// The functions that call the callbacks of Fortran.
int libmpi_copy(void *object, int key, void *state, void *in, void *out, int *flag);
int libmpi_old_copy(void *object, int key, void *state, void *in, void *out, int *flag);

#pragma GCC visibility pop

static inline int64_t libmpi_language_of_value(const void *value) {
	return value == &libmpi_value[IN_INTEGER] ? IN_INTEGER :
		value == &libmpi_value[IN_ADDRESS_SIZE] ? IN_ADDRESS_SIZE : IN_C;
}

static inline int64_t libmpi_language_of_copy(int64_t function) {
	return function == (intptr_t)libmpi_copy ? IN_ADDRESS_SIZE :
		function == (intptr_t)libmpi_old_copy ? IN_INTEGER : IN_C;
}

#endif
