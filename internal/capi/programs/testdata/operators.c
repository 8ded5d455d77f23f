/* Operators of the program and predefined ones in all reductions. */
#include "program.h"

/* A matrix of 2 x 2, whose product does not commute. */
typedef struct {
	double m[4];
} matrix;

static MPI_Datatype seen = MPI_DATATYPE_NULL;

static void multiply(void *in, void *inout, int *n, MPI_Datatype *type) {
	matrix *a = in, *b = inout;
	seen = *type;
	for (int i = 0; i < *n; i++) {
		matrix c = {{a[i].m[0] * b[i].m[0] + a[i].m[1] * b[i].m[2], a[i].m[0] * b[i].m[1] + a[i].m[1] * b[i].m[3],
			a[i].m[2] * b[i].m[0] + a[i].m[3] * b[i].m[2], a[i].m[2] * b[i].m[1] + a[i].m[3] * b[i].m[3]}};
		b[i] = c;
	}
}

/* factor is what a rank has: {{1, r+1}, {0, 2}} with the element in it. */
static matrix factor(int r, int i) {
	matrix m = {{1, r + 1 + i, 0, 2}};
	return m;
}

/* product is that of the ranks from first to last. */
static matrix product(int first, int last, int i) {
	matrix p = factor(first, i);
	for (int r = first + 1; r <= last; r++) {
		matrix next = factor(r, i);
		int one = 1;
		multiply(&p, &next, &one, &seen);
		p = next;
	}
	return p;
}

static void same(const matrix *a, int n, int first, int last, int from) {
	for (int i = 0; i < n; i++) {
		matrix want = product(first, last, from + i);
		CHECK(memcmp(&a[i], &want, sizeof want) == 0);
	}
}

#define MOST 300

static void matrices(int n) {
	static matrix mine[MOST], got[MOST];
	MPI_Datatype type;
	MPI_Op op;
	MPI_Request request;
	int counts[16], commute, ranks = size < 16 ? size : 16;
	seen = MPI_DATATYPE_NULL;
	OK(MPI_Type_contiguous(4, MPI_DOUBLE, &type));
	OK(MPI_Type_commit(&type));
	OK(MPI_Op_create(multiply, 0, &op));
	OK(MPI_Op_commutative(op, &commute));
	CHECK(!commute);
	for (int i = 0; i < n; i++)
		mine[i] = factor(rank, i);
	OK(MPI_Allreduce(mine, got, n, type, op, MPI_COMM_WORLD));
	same(got, n, 0, size - 1, 0);
	CHECK(size == 1 || seen == type || seen == MPI_DATATYPE_NULL);
	memset(got, 0, sizeof got);
	OK(MPI_Reduce(mine, got, n, type, op, size - 1, MPI_COMM_WORLD));
	if (rank == size - 1)
		same(got, n, 0, size - 1, 0);
	memcpy(got, mine, sizeof got);
	OK(MPI_Scan(MPI_IN_PLACE, got, n, type, op, MPI_COMM_WORLD));
	same(got, n, 0, rank, 0);
	OK(MPI_Exscan(mine, got, n, type, op, MPI_COMM_WORLD));
	if (rank > 0)
		same(got, n, 0, rank - 1, 0);
	memset(got, 0, sizeof got);
	OK(MPI_Iallreduce(mine, got, n, type, op, MPI_COMM_WORLD, &request));
	OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
	same(got, n, 0, size - 1, 0);
	OK(MPI_Iscan(mine, got, n, type, op, MPI_COMM_WORLD, &request));
	OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
	same(got, n, 0, rank, 0);
	OK(MPI_Allreduce_init(mine, got, n, type, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
	for (int k = 0; k < 2; k++) {
		memset(got, 0, sizeof got);
		OK(MPI_Start(&request));
		OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
		same(got, n, 0, size - 1, 0);
	}
	OK(MPI_Request_free(&request));
	if (size <= 16 && n >= size) {
		for (int r = 0; r < ranks; r++)
			counts[r] = n / size;
		OK(MPI_Reduce_scatter(mine, got, counts, type, op, MPI_COMM_WORLD));
		same(got, n / size, 0, size - 1, rank * (n / size));
		OK(MPI_Reduce_scatter_block(mine, got, n / size, type, op, MPI_COMM_WORLD));
		same(got, n / size, 0, size - 1, rank * (n / size));
	}
	OK(MPI_Op_free(&op));
	OK(MPI_Type_free(&type));
}

/* Every other int of an array: the function looks at elements where the type has them. */
static void add_sparse(void *in, void *inout, int *n, MPI_Datatype *type) {
	MPI_Aint lb, extent;
	OK(MPI_Type_get_extent(*type, &lb, &extent)); /* MPI may be called here */
	for (int i = 0; i < *n; i++)
		*(int *)((char *)inout + i * extent) += *(int *)((char *)in + i * extent);
}

static void sparse(void) {
	int mine[40], got[40];
	MPI_Datatype type;
	MPI_Op op;
	MPI_Request request;
	OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &type));
	OK(MPI_Type_commit(&type));
	OK(MPI_Op_create(add_sparse, 1, &op));
	for (int i = 0; i < 40; i++)
		mine[i] = rank + i, got[i] = -1;
	OK(MPI_Allreduce(mine, got, 20, type, op, MPI_COMM_WORLD));
	for (int i = 0; i < 40; i++)
		CHECK(got[i] == (i % 2 ? -1 : size * (size - 1) / 2 + size * i));
	OK(MPI_Iallreduce(mine, got, 20, type, op, MPI_COMM_WORLD, &request));
	OK(MPI_Op_free(&op)); /* both are in use until the request is complete */
	OK(MPI_Type_free(&type));
	OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
	for (int i = 0; i < 40; i++)
		CHECK(got[i] == (i % 2 ? -1 : size * (size - 1) / 2 + size * i));
}

static void predefined(void) {
	struct { double v; int i; } at = {-rank, rank}, least;
	long double x = rank + 0.5L, y = 0;
	int one = rank == 0, any = -1;
	signed char c = rank, most = -1;
	unsigned long long bits = 1ull << rank % 64, all = 0;
	OK(MPI_Allreduce(&at, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD));
	CHECK(least.v == -(size - 1) && least.i == size - 1);
	OK(MPI_Allreduce(&x, &y, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
	CHECK(y == size * (size - 1) / 2 + 0.5L * size);
	OK(MPI_Allreduce(&one, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD));
	CHECK(any == 1);
	OK(MPI_Allreduce(&c, &most, 1, MPI_SIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD));
	CHECK(most == size - 1);
	OK(MPI_Allreduce(&bits, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_BOR, MPI_COMM_WORLD));
	CHECK(size > 63 || all == (1ull << size) - 1);
}

int main(void) {
	join(MPI_THREAD_SINGLE);
	matrices(1);
	matrices(7);
	matrices(MOST);
	sparse();
	predefined();
	OK(MPI_Finalize());
	return 0;
}
