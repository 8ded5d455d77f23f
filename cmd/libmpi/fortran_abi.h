// What the face of the standard ABI has for fortran.h.
#ifndef LIBMPI_FORTRAN_ABI_H
#define LIBMPI_FORTRAN_ABI_H

// The common block of mpif.h and of the module, in the program. The library must not define it:
// references would stay within the library (it is linked with -Bsymbolic). Where no program or
// library in Fortran was there when this library was loaded, the address is NULL.
extern struct sentinels {
	int bottom, in_place, buffer_automatic, unweighted, weights_empty, errcodes_ignore;
	int status_ignore[8], statuses_ignore[8];
} mpi_f_sentinels_ __attribute__((weak));

// The block of the texts.
extern struct texts {
	char argv_null[1], argvs_null[1];
} mpi_f_texts_ __attribute__((weak));

// f_found is the block that an address lies in, in a library that was loaded later, or one that no
// address lies in. f_found_texts is f_found for the texts.
struct sentinels *f_found(const void *p) __attribute__((pure));
struct texts *f_found_texts(const void *p) __attribute__((pure));

static inline struct sentinels *f_block(const void *p) { return &mpi_f_sentinels_ ? &mpi_f_sentinels_ : f_found(p); }
static inline struct texts *f_texts(const void *p) { return &mpi_f_texts_ ? &mpi_f_texts_ : f_found_texts(p); }

#define f_is(p, name) ((const void *)(p) == &f_block(p)->name)
#define f_text_is(p, name) ((const void *)(p) == &f_texts(p)->name)

#define f_sentinel(name) mpi_f_sentinels_.name
#define f08_sentinel f_sentinel

static inline void *f_automatic(void *p) { return f_is(p, buffer_automatic) ? MPI_BUFFER_AUTOMATIC : p; }

// f_detached is the address of a buffer that was detached, in Fortran.
static inline void f_detached(void *address) {
	if (*(void **)address == MPI_BUFFER_AUTOMATIC)
		*(void **)address = &f_sentinel(buffer_automatic);
}

// f_length is the length of a text, an argument.
typedef size_t f_length;

// gfortran's spelling of names alone.
#define WEAK(alias) _Pragma(#alias)
#define OLD_NAMES(name, NAME) WEAK(weak mpi_##name##_ = pmpi_##name##_)
#define NAMES(name, NAME) \
	OLD_NAMES(name, NAME) \
	WEAK(weak mpi_##name##_f08_ = pmpi_##name##_) \
	WEAK(weak pmpi_##name##_f08_ = pmpi_##name##_)
#define CPTR_NAMES(name, NAME) \
	WEAK(weak mpi_##name##_cptr_ = pmpi_##name##_) \
	WEAK(weak pmpi_##name##_cptr_ = pmpi_##name##_)
#define X_NAMES(name, NAME) \
	WEAK(weak mpix_##name##_ = pmpix_##name##_) \
	WEAK(weak mpix_##name##_f08_ = pmpix_##name##_) \
	WEAK(weak pmpix_##name##_f08_ = pmpix_##name##_)
#define EARLY_NAMES(name, NAME)
#define CALLBACK_NAMES(name, NAME)

// Handles are the same for functions of both languages.
#define f_calls(handle)

#endif
