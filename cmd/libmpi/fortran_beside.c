// Subroutines that only Fortran has.
#include "fortran.h"

// A program calls MPI_F_sync_reg so that the compiler takes its buffer for changed.
void pmpi_f_sync_reg_(void *buf) { (void)buf; }
NAMES(f_sync_reg, F_SYNC_REG)

void pmpi_sizeof_of(struct descriptor *x, int *size, int *ierror) {
	*size = (int)f_element(x);
	f_error(ierror, MPI_SUCCESS);
}
#pragma weak mpi_sizeof_of = pmpi_sizeof_of

void pmpi_status_f2f08_(MPI_Fint *f_status, MPI_F08_status *f08_status, int *ierror) {
	f_error(ierror, MPI_Status_f2f08(f_status, f08_status));
}
NAMES(status_f2f08, STATUS_F2F08)

void pmpi_status_f082f_(MPI_F08_status *f08_status, MPI_Fint *f_status, int *ierror) {
	f_error(ierror, MPI_Status_f082f(f08_status, f_status));
}
NAMES(status_f082f, STATUS_F082F)

// Comparison of handles of the types that the module names.
#define COMPARE(name) \
	int mpi_##name##_eq_(const int *a, const int *b) { return *a == *b; } \
	int mpi_##name##_ne_(const int *a, const int *b) { return *a != *b; }

COMPARE(comm)
COMPARE(datatype)
COMPARE(errhandler)
COMPARE(file)
COMPARE(group)
COMPARE(info)
COMPARE(message)
COMPARE(op)
COMPARE(request)
COMPARE(session)
COMPARE(win)
