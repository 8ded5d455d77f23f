// Conversions between Fortran and C.
#include "fortran.h"

uintptr_t libmpi_fortran;

#ifndef FACE_MPICH
void *f_objects(enum f_kind kind, const int *handles, int n) {
	void **all = malloc((n > 0 ? n : 1) * sizeof *all);
	for (int i = 0; all && i < n; i++)
		all[i] = libmpi_from_fortran(kind, handles[i]);
	return all;
}

void f_release(void *array, int n, int *back) {
	void **all = array;
	for (int i = 0; all && back && i < n; i++)
		back[i] = f_integer(all[i]);
	free(all);
}
#endif

void f_index(int *index, int written) {
	if (written != UNWRITTEN)
		*index = written == MPI_UNDEFINED ? written : written + 1;
}

void f_indices(int *outcount, int written, int *indices) {
	if (written == UNWRITTEN)
		return;
	*outcount = written;
	for (int i = 0; i < written; i++)
		indices[i]++;
}

void f_text(int error, char *text, size_t length, const char *string) {
	if (error != MPI_SUCCESS)
		return;
	size_t n = strlen(string);
	if (n > length)
		n = length;
	memcpy(text, string, n);
	memset(text + n, ' ', length - n);
}

int f_members(int comm) {
	MPI_Comm c = f_handle(Comm, comm);
	int inter = 0, n = 0;
	if (PMPI_Comm_test_inter(c, &inter) == MPI_SUCCESS)
		inter ? PMPI_Comm_remote_size(c, &n) : PMPI_Comm_size(c, &n);
	return n;
}

int f_neighbors(int comm, int out) {
	MPI_Comm c = f_handle(Comm, comm);
	int topology = MPI_UNDEFINED, n[2] = {0, 0}, weighted, rank;
	PMPI_Topo_test(c, &topology);
	switch (topology) {
	case MPI_CART:
		PMPI_Cartdim_get(c, &n[0]);
		return 2 * n[0];
	case MPI_GRAPH:
		PMPI_Comm_rank(c, &rank);
		PMPI_Graph_neighbors_count(c, rank, &n[0]);
		return n[0];
	case MPI_DIST_GRAPH:
		PMPI_Dist_graph_neighbors_count(c, &n[0], &n[1], &weighted);
		return n[out];
	}
	return 0;
}
