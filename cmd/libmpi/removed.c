// Functions that MPI 3.0 removed, for old programs. Each has a successor.
#include "face.h"

#define WEAK(name, arguments) int MPI_##name arguments __attribute__((weak, alias("PMPI_" #name)));

int PMPI_Address(void *location, MPI_Aint *address) { return PMPI_Get_address(location, address); }
WEAK(Address, (void *, MPI_Aint *))

int PMPI_Errhandler_create(MPI_Handler_function *function, MPI_Errhandler *errhandler) {
	return PMPI_Comm_create_errhandler(function, errhandler);
}
WEAK(Errhandler_create, (MPI_Handler_function *, MPI_Errhandler *))

int PMPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler) {
	return PMPI_Comm_get_errhandler(comm, errhandler);
}
WEAK(Errhandler_get, (MPI_Comm, MPI_Errhandler *))

int PMPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) { return PMPI_Comm_set_errhandler(comm, errhandler); }
WEAK(Errhandler_set, (MPI_Comm, MPI_Errhandler))

int PMPI_Type_extent(MPI_Datatype type, MPI_Aint *extent) {
	MPI_Aint bound;
	return PMPI_Type_get_extent(type, &bound, extent);
}
WEAK(Type_extent, (MPI_Datatype, MPI_Aint *))

int PMPI_Type_lb(MPI_Datatype type, MPI_Aint *bound) {
	MPI_Aint extent;
	return PMPI_Type_get_extent(type, bound, &extent);
}
WEAK(Type_lb, (MPI_Datatype, MPI_Aint *))

int PMPI_Type_ub(MPI_Datatype type, MPI_Aint *bound) {
	MPI_Aint extent;
	int result = PMPI_Type_get_extent(type, bound, &extent);
	if (result == MPI_SUCCESS)
		*bound += extent;
	return result;
}
WEAK(Type_ub, (MPI_Datatype, MPI_Aint *))

int PMPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *type) {
	return PMPI_Type_create_hvector(count, length, stride, old, type);
}
WEAK(Type_hvector, (int, int, MPI_Aint, MPI_Datatype, MPI_Datatype *))

int PMPI_Type_hindexed(int count, int lengths[], MPI_Aint displacements[], MPI_Datatype old, MPI_Datatype *type) {
	return PMPI_Type_create_hindexed(count, lengths, displacements, old, type);
}
WEAK(Type_hindexed, (int, int[], MPI_Aint[], MPI_Datatype, MPI_Datatype *))

int PMPI_Type_struct(int count, int lengths[], MPI_Aint displacements[], MPI_Datatype types[], MPI_Datatype *type) {
	return PMPI_Type_create_struct(count, lengths, displacements, types, type);
}
WEAK(Type_struct, (int, int[], MPI_Aint[], MPI_Datatype[], MPI_Datatype *))
