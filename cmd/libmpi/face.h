// The face of the library: the binary interface that programs were compiled for. It is that of the standard ABI, or,
// built with the tag openmpi, that of Open MPI 4 and 5. Numbers in the face's header are those of package capi, too.
// Handles are not: there a predefined one has the number that the standard ABI has for it.
//
// In Open MPI a predefined handle is the address of an object. The object has the number of the handle in its first
// word. An executable that names the object has a copy of it (R_X86_64_COPY), to which all references in the process
// go. So references in this library must go through the global offset table: it is linked with -Bno-symbolic.
// Objects are aligned to 16 bytes, and all other handles have a kind in their lower 4 bits: compares tell them apart.
#ifndef LIBMPI_FACE_H
#define LIBMPI_FACE_H

#include <stdint.h>

// The types of handles, without MPI_.
enum f_kind {
	F_Comm, F_Datatype, F_Errhandler, F_File, F_Group, F_Info, F_Message, F_Op, F_Request, F_Session, F_Win, F_KINDS
};

#ifdef FACE_OPENMPI

#include "gen/openmpi.h"

enum { LIBMPI_CONSTANTS = 0x400, LIBMPI_KINDS = 0xf, LIBMPI_INTEGERS = 128, LIBMPI_NO_HANDLE = 0xf };

#pragma GCC visibility push(hidden)
// libmpi_objects are the addresses of the objects by their numbers, NULL where the handle is its number.
extern const void *const libmpi_objects[LIBMPI_CONSTANTS];

// libmpi_integers are the predefined handles in Fortran by their numbers, plus 1, and libmpi_numbers their numbers.
// Both are 0 where there is none. All other handles are above these integers, and the same in both languages.
extern const short libmpi_integers[LIBMPI_CONSTANTS], libmpi_numbers[F_KINDS][LIBMPI_INTEGERS];

// libmpi_constant returns a handle that is the number of a constant. It ends the process if the number has an object,
// which a program of this face would name, and the process has another MPI library.
int64_t libmpi_constant(intptr_t number);
#pragma GCC visibility pop

static inline int64_t libmpi_number(const void *handle) {
	intptr_t h = (intptr_t)handle;
	if ((uintptr_t)h < LIBMPI_CONSTANTS)
		return libmpi_constant(h);
	return h & LIBMPI_KINDS ? h : *(const int64_t *)handle;
}

static inline void *libmpi_handle(intptr_t number) {
	const void *object = (uintptr_t)number < LIBMPI_CONSTANTS ? libmpi_objects[number] : 0;
	return object ? (void *)(uintptr_t)object : (void *)number;
}

static inline MPI_Fint libmpi_to_fortran(const void *handle) {
	int64_t number = libmpi_number(handle);
	int integer = (uint64_t)number < LIBMPI_CONSTANTS ? libmpi_integers[number] : 0;
	return integer ? integer - 1 : (MPI_Fint)number;
}

static inline void *libmpi_from_fortran(enum f_kind kind, MPI_Fint integer) {
	int number = (unsigned)integer < LIBMPI_INTEGERS ? libmpi_numbers[kind][integer] : 0;
	if (number)
		return libmpi_handle(number);
	if (integer & LIBMPI_KINDS)
		return (void *)(intptr_t)integer;
	return (void *)LIBMPI_NO_HANDLE; // not a word where no object is
}

#else

#include "gen/mpi.h"

// libmpi_number is the number of a handle, and libmpi_handle the handle of a number.
static inline int64_t libmpi_number(const void *handle) { return (intptr_t)handle; }
static inline void *libmpi_handle(intptr_t number) { return (void *)number; }

// libmpi_to_fortran is the integer that is a handle in Fortran, and libmpi_from_fortran the handle of an integer.
static inline MPI_Fint libmpi_to_fortran(const void *handle) { return (MPI_Fint)(intptr_t)handle; }
static inline void *libmpi_from_fortran(enum f_kind kind, MPI_Fint integer) {
	(void)kind;
	return (void *)(intptr_t)integer;
}

#endif
#endif
