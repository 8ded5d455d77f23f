// What C knows of datatypes, without a call of Go.
#ifndef LIBMPI_TYPES_H
#define LIBMPI_TYPES_H

#include <stdint.h>

#include "entry.h"
#include "face.h"

#pragma GCC visibility push(hidden)

// What capi.Tables has of predefined types, by their handles: the size of an element, and above KIND_SHIFT what it is;
// 0 before the first use of the type, and of pairs. Of others it has words: the handle, and in the lower half the size,
// with SPREAD if the elements do not lie one behind the other from displacement 0 on.
enum { FIRST_TYPE = 0x200, TYPES = 0x100, KIND_SHIFT = 16, SIZE_MASK = 0xffff, MADE_TYPES = 256, HANDLE_SHIFT = 32 };
enum { OTHER, INTEGER, FLOAT };
#define SPREAD (UINT32_C(1) << 31)

// The lower bits of a handle are the kind of the object, the next ones its place.
enum { KIND_BITS = 4 };

// libmpi_predefined is what is known of a predefined type.
static inline uint32_t libmpi_predefined(MPI_Datatype type) {
	uintptr_t i = (uintptr_t)libmpi_number(type) - FIRST_TYPE;
	return i < TYPES ? __atomic_load_n(&libmpi_tables.types[i], __ATOMIC_RELAXED) : 0;
}

// libmpi_size_of is the size of a type, 0 if that is for Go to say.
uint32_t libmpi_size_of(MPI_Datatype type);

// libmpi_extent_of is the extent and true extent of a type whose bounds both begin at 0, 0 if they are for Go to say.
uint32_t libmpi_extent_of(MPI_Datatype type);

#pragma GCC visibility pop

#endif
