// Subroutines that MPI 3.0 removed, for old programs. Addresses are default INTEGERs there.
#include "fortran.h"

void pmpi_comm_create_errhandler_(MPI_Comm_errhandler_function *, int *errhandler, int *ierror);
void pmpi_comm_get_errhandler_(int *comm, int *errhandler, int *ierror);
void pmpi_comm_set_errhandler_(int *comm, int *errhandler, int *ierror);

void pmpi_address_(void *location, int *address, int *ierror) {
	MPI_Aint at = 0;
	f_error(ierror, MPI_Get_address(f_address(location), &at));
	*address = (int)at;
}
OLD_NAMES(address, ADDRESS)

void pmpi_errhandler_create_(MPI_Comm_errhandler_function *function, int *errhandler, int *ierror) {
	pmpi_comm_create_errhandler_(function, errhandler, ierror);
}
OLD_NAMES(errhandler_create, ERRHANDLER_CREATE)

void pmpi_errhandler_get_(int *comm, int *errhandler, int *ierror) {
	pmpi_comm_get_errhandler_(comm, errhandler, ierror);
}
OLD_NAMES(errhandler_get, ERRHANDLER_GET)

void pmpi_errhandler_set_(int *comm, int *errhandler, int *ierror) {
	pmpi_comm_set_errhandler_(comm, errhandler, ierror);
}
OLD_NAMES(errhandler_set, ERRHANDLER_SET)

// bounds are where a type begins, and how long it is.
static int bounds(int type, MPI_Aint *lower, MPI_Aint *extent) {
	return MPI_Type_get_extent(f_handle(Datatype, type), lower, extent);
}

void pmpi_type_extent_(int *type, int *extent, int *ierror) {
	MPI_Aint lower, length = 0;
	f_error(ierror, bounds(*type, &lower, &length));
	*extent = (int)length;
}
OLD_NAMES(type_extent, TYPE_EXTENT)

void pmpi_type_lb_(int *type, int *displacement, int *ierror) {
	MPI_Aint lower = 0, length;
	f_error(ierror, bounds(*type, &lower, &length));
	*displacement = (int)lower;
}
OLD_NAMES(type_lb, TYPE_LB)

void pmpi_type_ub_(int *type, int *displacement, int *ierror) {
	MPI_Aint lower = 0, length = 0;
	f_error(ierror, bounds(*type, &lower, &length));
	*displacement = (int)(lower + length);
}
OLD_NAMES(type_ub, TYPE_UB)

// made hands back a new type.
static void made(int error, MPI_Datatype made, int *newtype, int *ierror) {
	if (error == MPI_SUCCESS)
		*newtype = f_integer(made);
	f_error(ierror, error);
}

void pmpi_type_hvector_(int *count, int *blocklength, int *stride, int *oldtype, int *newtype, int *ierror) {
	MPI_Datatype type = MPI_DATATYPE_NULL;
	int error = MPI_Type_create_hvector(*count, *blocklength, *stride, f_handle(Datatype, *oldtype), &type);
	made(error, type, newtype, ierror);
}
OLD_NAMES(type_hvector, TYPE_HVECTOR)

// widened are n displacements in C. The caller frees them.
static MPI_Aint *widened(const int *displacements, int n) {
	MPI_Aint *all = malloc((n > 0 ? n : 1) * sizeof *all);
	for (int i = 0; all && i < n; i++)
		all[i] = displacements[i];
	return all;
}

void pmpi_type_hindexed_(int *count, int *lengths, int *displacements, int *oldtype, int *newtype, int *ierror) {
	MPI_Datatype type = MPI_DATATYPE_NULL;
	MPI_Aint *all = widened(displacements, *count);
	int error = all ? MPI_Type_create_hindexed(*count, lengths, all, f_handle(Datatype, *oldtype), &type) :
		MPI_ERR_NO_MEM;
	free(all);
	made(error, type, newtype, ierror);
}
OLD_NAMES(type_hindexed, TYPE_HINDEXED)

void pmpi_type_struct_(int *count, int *lengths, int *displacements, int *types, int *newtype, int *ierror) {
	MPI_Datatype type = MPI_DATATYPE_NULL, *all_types = f_handles(Datatype, types, *count);
	MPI_Aint *all = widened(displacements, *count);
	int error = all && all_types ? MPI_Type_struct(*count, lengths, all, all_types, &type) : MPI_ERR_NO_MEM;
	free(all);
	f_release(all_types, *count, NULL);
	made(error, type, newtype, ierror);
}
OLD_NAMES(type_struct, TYPE_STRUCT)
