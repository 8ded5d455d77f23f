// Sections of arrays as buffers.
#include <stdio.h>

#include "fortran.h"

// The descriptor of ISO_Fortran_binding.h. A step is a number of bytes.
struct standard {
	char *base;
	size_t element;
	int version;
	signed char rank, attribute;
	short type;
	struct {
		MPI_Aint lower, extent, step;
	} dim[];
};

// The descriptor of gfortran. A stride is a number of spans.
struct gfortran {
	char *base;
	size_t offset, element;
	int version;
	signed char rank, type;
	short attribute;
	MPI_Aint span;
	struct {
		MPI_Aint stride, lower, upper;
	} dim[];
};

// A shape is what both say.
struct shape {
	char *base;
	size_t element;
	int rank;
	MPI_Aint extent[15], step[15];
};

// No element of gfortran's has 4 GiB, and the standard one has a type that is not 0 in the upper half of the same word.
static void shape_of(struct shape *s, const struct descriptor *descriptor) {
	const struct standard *d = (const void *)descriptor;
	const struct gfortran *g = (const void *)descriptor;
	if (g->element >> 32) {
		s->base = d->base, s->element = d->element, s->rank = d->rank;
		for (int i = 0; i < s->rank; i++)
			s->extent[i] = d->dim[i].extent, s->step[i] = d->dim[i].step;
		return;
	}
	s->base = g->base, s->element = g->element, s->rank = g->rank;
	for (int i = 0; i < s->rank; i++) {
		MPI_Aint extent = g->dim[i].upper - g->dim[i].lower + 1;
		int last = extent < 0 && i == s->rank - 1; // of an array of assumed size: the upper bound is not known
		s->extent[i] = extent < 0 && !last ? 0 : extent;
		s->step[i] = g->dim[i].stride * g->span;
	}
}

// The last dimension of an array of assumed size has the extent -1.
static int contiguous(const struct shape *s) {
	MPI_Aint next = s->element;
	int contiguous = 1;
	for (int i = 0; i < s->rank; i++) {
		if (s->extent[i] == 0)
			return 1;
		if (s->extent[i] != 1 && s->step[i] != next)
			contiguous = 0;
		next *= s->extent[i];
	}
	return contiguous;
}

static MPI_Count elements(const struct shape *s) {
	MPI_Count all = 1;
	for (int i = 0; i < s->rank; i++)
		all *= s->extent[i];
	return all;
}

size_t f_element(const struct descriptor *d) {
	struct shape s;
	shape_of(&s, d);
	return s.element;
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
static void places(const struct shape *d, MPI_Count *at, MPI_Count n) {
	MPI_Aint index[15] = {0};
	MPI_Count place = 0;
	for (MPI_Count i = 0; i < n; i++) {
		at[i] = place;
		for (int k = 0; k < d->rank; k++) {
			place += d->step[k];
			if (++index[k] < d->extent[k])
				break;
			place -= index[k] * d->step[k];
			index[k] = 0;
		}
	}
}

// An element may be several of the datatype, such as a text.
static struct section scattered(const struct shape *d, MPI_Count count, MPI_Datatype type) {
	struct section s = {d->base, 1, type, 0, MPI_SUCCESS, NULL};
	MPI_Count size = 0, lower = 0, space = 0;
	if ((s.error = PMPI_Type_size_c(type, &size)) || (s.error = PMPI_Type_get_extent_c(type, &lower, &space)))
		return s;
	MPI_Count each = size > 0 ? (MPI_Count)d->element / size : 0;
	if (each == 0 || each * size != (MPI_Count)d->element || space != size || lower != 0 || count % each != 0)
		refuse(&s, "its datatype must be that of its elements; or pass the whole array with a derived datatype");
	else if (count < 0 || count / each > elements(d))
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

struct section f_section(const struct descriptor *d, MPI_Count count, MPI_Datatype type) {
	struct shape shape;
	shape_of(&shape, d);
	if (contiguous(&shape))
		return (struct section){f_address(d->base), count, type, 0, MPI_SUCCESS, NULL};
	return scattered(&shape, count, type);
}

struct section f_whole(const struct descriptor *d) {
	struct section s = {f_address(d->base), 0, MPI_DATATYPE_NULL, 0, MPI_SUCCESS, NULL};
	struct shape shape;
	shape_of(&shape, d);
	if (!contiguous(&shape))
		refuse(&s, "copy it into an array, or pass the whole array with a derived datatype");
	return s;
}

// move copies the elements of a section to memory where they lie side by side, or back.
static void move(const struct shape *d, char *memory, int back) {
	MPI_Aint index[15] = {0};
	char *place = d->base;
	for (MPI_Count i = elements(d); i > 0; i--) {
		memcpy(back ? place : memory, back ? memory : place, d->element);
		memory += d->element;
		for (int k = 0; k < d->rank; k++) {
			place += d->step[k];
			if (++index[k] < d->extent[k])
				break;
			place -= index[k] * d->step[k];
			index[k] = 0;
		}
	}
}

struct section f_copy(const struct descriptor *d) {
	struct section s = {f_address(d->base), 0, MPI_DATATYPE_NULL, 0, MPI_SUCCESS, NULL};
	struct shape shape;
	shape_of(&shape, d);
	if (contiguous(&shape))
		return s;
	void *memory = malloc(elements(&shape) * shape.element);
	if (!memory) {
		s.error = MPI_ERR_NO_MEM;
		return s;
	}
	move(&shape, s.address = memory, 0);
	s.made = 1;
	return s;
}

void f_copy_free(struct section *s, const struct descriptor *d, int written) {
	struct shape shape;
	if (!s->made)
		return;
	shape_of(&shape, d);
	if (written)
		move(&shape, s->address, 1);
	free(s->address);
}
