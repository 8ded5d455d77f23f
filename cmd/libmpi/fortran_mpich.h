// What the face of MPICH has for fortran.h.
#ifndef LIBMPI_FORTRAN_MPICH_H
#define LIBMPI_FORTRAN_MPICH_H

// The common blocks of mpif.h and of the module mpi. A program or a library that is loaded before this one may have a
// block of its own: that is the one that counts, so these are always looked up by name.
extern struct { int bottom, in_place, status_ignore[5]; } mpipriv1_;
extern struct { int statuses_ignore[5], errcodes_ignore[1]; } mpipriv2_;
extern struct { char argvs_null, argv_null; } mpiprivc_;
extern int mpifcmb5_[1], mpifcmb9_[1], mpifcmba_;

#define F_bottom mpipriv1_.bottom
#define F_in_place mpipriv1_.in_place
#define F_status_ignore mpipriv1_.status_ignore
#define F_statuses_ignore mpipriv2_.statuses_ignore
#define F_errcodes_ignore mpipriv2_.errcodes_ignore
#define F_argv_null mpiprivc_.argv_null
#define F_argvs_null mpiprivc_.argvs_null
#define F_unweighted mpifcmb5_
#define F_weights_empty mpifcmb9_
#define F_buffer_automatic mpifcmba_

#define f_is(p, name) ((const void *)(p) == (const void *)&F_##name)
#define f_text_is(p, name) f_is(p, name)
#define f_sentinel(name) F_##name

// The sentinels of mpi_f08, which MPICH's own library for it, and copies in programs, refer to.
extern MPI_Status MPIR_F08_MPI_STATUS_IGNORE_OBJ, MPIR_F08_MPI_STATUSES_IGNORE_OBJ;
#define F08_status_ignore &MPIR_F08_MPI_STATUS_IGNORE_OBJ
#define F08_statuses_ignore &MPIR_F08_MPI_STATUSES_IGNORE_OBJ
#define f08_sentinel(name) F08_##name

static inline void *f_automatic(void *p) { return f_is(p, buffer_automatic) ? MPI_BUFFER_AUTOMATIC : p; }
static inline void f_detached(void *address) { (void)address; }

// gfortran hands over 64 bits as the length of a text, and Intel's compiler of old an int.
typedef unsigned f_length;

#include "fortran_spellings.h"
#define NAMES(name, NAME) SPELLED(_##name, _##NAME, pmpi_##name##_)
#define OLD_NAMES NAMES
#define X_NAMES(name, NAME) SPELLED(x_##name, X_##NAME, pmpix_##name##_)
#define CPTR_NAMES(name, NAME)
#define EARLY_NAMES(name, NAME)

// Handles are the same for functions of both languages.
#define f_calls(handle)

#endif
