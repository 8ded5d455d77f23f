// Functions that MPI 3.0 removed, for old programs. Each has a successor. The markers MPI_LB and
// MPI_UB have none, and are only in the face of Open MPI.
#include <stdlib.h>
#include <string.h>

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

#ifdef MPI_UB

// A struct may have the markers MPI_LB and MPI_UB where it begins and ends.
static int is_marker(MPI_Datatype type) { return type == MPI_LB || type == MPI_UB; }

// without_markers leaves out the markers. It returns how many entries stay, and the least and the greatest place that
// a marker has.
static int without_markers(int count, int *lengths, MPI_Aint *places, MPI_Datatype *types, MPI_Aint *lower,
	MPI_Aint *upper) {
	int n = 0;
	for (int i = 0; i < count; i++) {
		if (types[i] == MPI_LB)
			*lower = places[i] < *lower ? places[i] : *lower;
		else if (types[i] == MPI_UB)
			*upper = places[i] > *upper ? places[i] : *upper;
		else
			lengths[n] = lengths[i], places[n] = places[i], types[n++] = types[i];
	}
	return n;
}

static int marked(int count, const int *lengths, const MPI_Aint *places, const MPI_Datatype *types,
	MPI_Datatype *type) {
	const MPI_Aint none_lower = INTPTR_MAX, none_upper = INTPTR_MIN;
	MPI_Aint lower = none_lower, upper = none_upper, begin, extent;
	MPI_Datatype inner;
	MPI_Aint *p = malloc(count * (sizeof *places + sizeof *types + sizeof *lengths));
	if (!p)
		return MPI_ERR_NO_MEM;
	MPI_Datatype *t = (MPI_Datatype *)(p + count);
	int *l = (int *)(t + count);
	memcpy(p, places, count * sizeof *p);
	memcpy(t, types, count * sizeof *t);
	memcpy(l, lengths, count * sizeof *l);
	int n = without_markers(count, l, p, t, &lower, &upper);
	int error = PMPI_Type_create_struct(n, l, p, t, &inner);
	free(p);
	if (error || (error = PMPI_Type_get_extent(inner, &begin, &extent)))
		return error;
	upper = upper == none_upper ? begin + extent : upper;
	lower = lower == none_lower ? begin : lower;
	error = PMPI_Type_create_resized(inner, lower, upper - lower, type);
	PMPI_Type_free(&inner);
	return error;
}

#endif

int PMPI_Type_struct(int count, int lengths[], MPI_Aint displacements[], MPI_Datatype types[], MPI_Datatype *type) {
#ifdef MPI_UB
	for (int i = 0; i < count; i++)
		if (is_marker(types[i]))
			return marked(count, lengths, displacements, types, type);
#endif
	return PMPI_Type_create_struct(count, lengths, displacements, types, type);
}
WEAK(Type_struct, (int, int[], MPI_Aint[], MPI_Datatype[], MPI_Datatype *))
