// The face of the library: the binary interface that programs were compiled for. It is that of the standard ABI, or,
// built with the tag openmpi, that of Open MPI 4 and 5, or, with mpich, that of MPICH. Numbers in the face's header are
// those of package capi, too. Handles are not: there a predefined one has the number that the standard ABI has for it.
//
// In Open MPI a predefined handle is the address of an object. The object has the number of the handle in its first
// word. An executable that names the object has a copy of it (R_X86_64_COPY), to which all references in the process
// go. So references in this library must go through the global offset table: it is linked with -Bno-symbolic.
// Objects are aligned to 16 bytes, and all other handles have a kind in their lower 4 bits: compares tell them apart.
//
// In MPICH handles are ints, in Fortran too, but MPI_File is a pointer; predefined ones have values of their own. All
// others have the uppermost bit besides their number. See numberOf in package capi.
//
// A face has these functions or macros:
//
//	libmpi_number(handle)                is the number of a handle.
//	libmpi_made(handle)                  is the number if the handle is not predefined; else it is no such number.
//	libmpi_handle(number)                is the handle of a number: an address, or an integer that holds one.
//	libmpi_to_fortran(handle)            is the integer that is the handle in Fortran.
//	libmpi_from_fortran(kind, integer)   is the handle of such an integer, as libmpi_handle.
//	libmpi_handle_error(f, object, code) calls an error handler.
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

#define libmpi_made(handle) ((uintptr_t)(handle))

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

#elif defined FACE_MPICH

#include "gen/mpich.h"

enum { LIBMPI_CONSTANTS = 0x400, LIBMPI_LAST = 0x3f4, LIBMPI_NO_HANDLE = 0xf, LIBMPI_PLACES = 64 << 7 };
#define LIBMPI_MADE (UINT32_C(1) << 31)
#define LIBMPI_PLACE(value) ((uint32_t)(value) >> 26 << 7 | ((value) & 0x7f))

#pragma GCC visibility push(hidden)
// libmpi_handles are the predefined handles by their numbers. libmpi_numbers has both by LIBMPI_PLACE.
extern const uint32_t libmpi_handles[LIBMPI_CONSTANTS];
extern const struct libmpi_predefined_int {
	uint32_t value, number;
} libmpi_numbers[LIBMPI_PLACES];
#pragma GCC visibility pop

__attribute__((always_inline)) static inline int64_t libmpi_number_of(uint32_t value) {
	if (value & LIBMPI_MADE && value & 0xfffff0)
		return value & ~LIBMPI_MADE;
	const struct libmpi_predefined_int *at = &libmpi_numbers[LIBMPI_PLACE(value)];
	return __builtin_expect(at->value == value, 1) ? at->number : LIBMPI_NO_HANDLE;
}

#define libmpi_number(handle) libmpi_number_of((uint32_t)(uintptr_t)(handle))
#define libmpi_made(handle) ((uintptr_t)((uint32_t)(uintptr_t)(handle) ^ LIBMPI_MADE))

static inline intptr_t libmpi_handle(intptr_t number) {
	return (uintptr_t)number <= LIBMPI_LAST ? libmpi_handles[number] : (uint32_t)number | LIBMPI_MADE;
}

#define libmpi_to_fortran(handle) ((MPI_Fint)(intptr_t)(handle))
#define libmpi_from_fortran(kind, integer) ((intptr_t)(uint32_t)(integer))

// A libmpi_proxied stands for an error handler of C++, if LIBMPI_PROXIED is added to its address: no address has that
// bit. The function of C++ gets objects, so one of the library for C++ calls it, which is told the kind of the object.
#define LIBMPI_PROXIED INT64_MIN
struct libmpi_proxied {
	void (*proxy)(int kind, void *object, int *code, void *function);
	void *function;
	int kind; // what capi.ReplaceCallbacks tells
};

static inline void libmpi_handle_error(intptr_t function, void *object, int *code) {
	static const int kinds[] = {[1] = 0, [2] = 2, [3] = 1}; // communicator, window, file
	if (function >= 0) {
		((void (*)(void *, int *, ...))function)(object, code);
		return;
	}
	const struct libmpi_proxied *c = (const void *)(function ^ LIBMPI_PROXIED);
	c->proxy(kinds[c->kind], object, code, c->function);
}

#else

#include "gen/mpi.h"

static inline int64_t libmpi_number(const void *handle) { return (intptr_t)handle; }
static inline void *libmpi_handle(intptr_t number) { return (void *)number; }
#define libmpi_made(handle) ((uintptr_t)(handle))

static inline MPI_Fint libmpi_to_fortran(const void *handle) { return (MPI_Fint)(intptr_t)handle; }
static inline void *libmpi_from_fortran(enum f_kind kind, MPI_Fint integer) {
	(void)kind;
	return (void *)(intptr_t)integer;
}

#endif

#ifndef FACE_MPICH
#define libmpi_handle_error(f, object, code) ((void (*)(void *, int *, ...))(f))(object, code)
#endif
#endif
