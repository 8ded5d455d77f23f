// Sections of arrays as buffers that are used beyond their call.
#include <stdio.h>

#include "fortran.h"

// The last dimension of an array of assumed size has the extent -1.
int f_contiguous(const struct descriptor *d) {
	MPI_Aint next = d->element;
	int contiguous = 1;
	for (int i = 0; i < d->rank; i++) {
		if (d->dim[i].extent == 0)
			return 1;
		if (d->dim[i].extent != 1 && d->dim[i].step != next)
			contiguous = 0;
		next *= d->dim[i].extent;
	}
	return contiguous;
}

void f_refused(const char *call, const char *cause) {
	fprintf(stderr, "rank %d: %s: a buffer that is used beyond the call is a section of an array that is not "
		"contiguous: %s\n", libmpi_rank_told(), call, cause);
}

static void refuse(struct section *s, const char *cause) {
	s->cause = cause;
	s->error = MPI_ERR_BUFFER;
}

// places writes where the first n elements of a section lie.
static void places(const struct descriptor *d, MPI_Count *at, MPI_Count n) {
	MPI_Aint index[15] = {0};
	MPI_Count place = 0;
	for (MPI_Count i = 0; i < n; i++) {
		at[i] = place;
		for (int k = 0; k < d->rank; k++) {
			place += d->dim[k].step;
			if (++index[k] < d->dim[k].extent)
				break;
			place -= index[k] * d->dim[k].step;
			index[k] = 0;
		}
	}
}

// An element may be several of the datatype, such as a text.
struct section f_scattered(const struct descriptor *d, MPI_Count count, MPI_Datatype type) {
	struct section s = {d->base, 1, type, 0, MPI_SUCCESS, NULL};
	MPI_Count size = 0, lower = 0, space = 0, all = 1;
	if ((s.error = PMPI_Type_size_c(type, &size)) || (s.error = PMPI_Type_get_extent_c(type, &lower, &space)))
		return s;
	for (int i = 0; i < d->rank; i++)
		all *= d->dim[i].extent;
	MPI_Count each = size > 0 ? (MPI_Count)d->element / size : 0;
	if (each == 0 || each * size != (MPI_Count)d->element || space != size || lower != 0 || count % each != 0)
		refuse(&s, "its datatype must be that of its elements; or pass the whole array with a derived datatype");
	else if (count < 0 || count / each > all)
		refuse(&s, "it has fewer elements than the count says");
	if (s.error)
		return s;
	MPI_Count n = count / each, *at = malloc((n ? n : 1) * sizeof *at);
	if (!at) {
		s.error = MPI_ERR_NO_MEM;
		return s;
	}
	places(d, at, n);
	s.error = PMPI_Type_create_hindexed_block_c(n, each, at, type, &s.type);
	free(at);
	s.made = s.error == MPI_SUCCESS;
	if (s.made)
		s.error = PMPI_Type_commit(&s.type);
	return s;
}

struct section f_whole(const struct descriptor *d) {
	struct section s = {f_address(d->base), 0, MPI_DATATYPE_NULL, 0, MPI_SUCCESS, NULL};
	if (!f_contiguous(d))
		refuse(&s, "copy it into an array, or pass the whole array with a derived datatype");
	return s;
}
