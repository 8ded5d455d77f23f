/* Accumulates: all operators on all predefined types, beside MPI_Reduce_local; then calls of any length at a time,
   which lose nothing; then two threads in one epoch. */
#include "program.h"
#include <pthread.h>
#include <stdint.h>

enum { MOST = 2000, BYTES = 1 << 16 };

static MPI_Win w;
static char *mine, *from, *want, *got, *was, *before;
static int flavor;

static void make(int f) {
	flavor = f;
	if (f == MPI_WIN_FLAVOR_CREATE) {
		mine = malloc(BYTES);
		OK(MPI_Win_create(mine, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	} else if (f == MPI_WIN_FLAVOR_ALLOCATE) {
		OK(MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &w));
	} else if (f == MPI_WIN_FLAVOR_SHARED) {
		OK(MPI_Win_allocate_shared(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &w));
	} else {
		OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w));
		mine = malloc(BYTES);
		OK(MPI_Win_attach(w, mine, BYTES));
	}
	OK(MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN));
}

static void end(void) {
	if (flavor == MPI_WIN_FLAVOR_DYNAMIC)
		OK(MPI_Win_detach(w, mine));
	OK(MPI_Win_free(&w));
	if (flavor == MPI_WIN_FLAVOR_CREATE || flavor == MPI_WIN_FLAVOR_DYNAMIC)
		free(mine);
}

/* disp is that of the memory of a rank. */
static MPI_Aint disp(int target) {
	MPI_Aint all[64], at = 0;
	if (flavor != MPI_WIN_FLAVOR_DYNAMIC)
		return 0;
	OK(MPI_Get_address(mine, &at));
	OK(MPI_Allgather(&at, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD));
	return all[target];
}

#define SAME(a, b, op, type, n, how) \
	if (memcmp(a, b, BYTES) != 0) { \
		int k = 0; \
		while ((a)[k] == (b)[k]) \
			k++; \
		fprintf(stderr, "flavor %d, type %d, operator %d, %d elements, %s: byte %d\n", flavor, type, op, n, how, k); \
		exit(78); \
	}

/* one does an accumulate of the last rank at the first one, with what reductions do as the oracle. Elements are one
   behind the other, or have gaps here (1), there (2) or both (3). */
static void one(MPI_Datatype type, int t, MPI_Op op, int o, int n, int gaps, MPI_Aint base) {
	MPI_Datatype spread;
	MPI_Aint lb, extent;
	int shift = n % 3; /* elements, which are not at the beginning of a stripe */
	OK(MPI_Type_get_extent(type, &lb, &extent));
	OK(MPI_Type_vector(n, 1, 2, type, &spread));
	OK(MPI_Type_commit(&spread));
	int here = gaps & 1 ? 2 : 1, there = gaps & 2 ? 2 : 1;
	for (int i = 0; i < BYTES; i++) {
		from[i] = (char)(i * 31 % 5 == 0 ? 0 : i * 7 % 64);
		before[i] = (char)(i * 13 % 7 == 0 ? 0 : i * 3 % 64);
	}
	memcpy(want, before, BYTES);
	char *to = want + shift * extent;
	for (int i = 0; i < n; i++) {
		char *a = from + i * here * extent, *b = to + i * there * extent;
		if (op == MPI_REPLACE)
			OK(MPI_Sendrecv(a, 1, type, 0, 1, b, 1, type, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
		else if (op != MPI_NO_OP)
			OK(MPI_Reduce_local(a, b, 1, type, op));
	}
	int last = size - 1;
	for (int fetch = 0; fetch < 2; fetch++) {
		if (rank == last) {
			OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w));
			OK(MPI_Put(before, BYTES, MPI_BYTE, 0, base, BYTES, MPI_BYTE, w));
			OK(MPI_Win_unlock(0, w));
			OK(MPI_Win_lock(n % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, w));
			MPI_Datatype h = gaps & 1 ? spread : type, r = gaps & 2 ? spread : type;
			int hn = gaps & 1 ? 1 : n, rn = gaps & 2 ? 1 : n;
			MPI_Aint at = base + shift * extent;
			memset(was, 99, BYTES);
			if (fetch)
				OK(MPI_Get_accumulate(from, hn, h, was, hn, h, 0, at, rn, r, op, w));
			else
				OK(MPI_Accumulate(from, hn, h, 0, at, rn, r, op, w));
			OK(MPI_Win_flush(0, w));
			OK(MPI_Get(got, BYTES, MPI_BYTE, 0, base, BYTES, MPI_BYTE, w));
			OK(MPI_Win_unlock(0, w));
			SAME(want, got, o, t, n, fetch ? "fetched" : "not fetched");
			if (fetch) { /* what was there, at the places of what is here */
				memset(got, 99, BYTES);
				OK(MPI_Sendrecv(before + shift * extent, rn, r, 0, 1, got, hn, h, 0, 1, MPI_COMM_SELF,
					MPI_STATUS_IGNORE));
				SAME(got, was, o, t, n, "what was there");
			}
		}
	}
	OK(MPI_Type_free(&spread));
}

static void all_operators(int many) {
	MPI_Datatype types[] = {MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT,
		MPI_UNSIGNED, MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_AINT, MPI_COUNT, MPI_FLOAT, MPI_DOUBLE,
		MPI_C_BOOL, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_BYTE, MPI_2INT, MPI_FLOAT_INT, MPI_DOUBLE_INT,
		MPI_LONG_INT, MPI_SHORT_INT};
	MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR,
		MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
	MPI_Aint base = disp(0);
	int done = 0;
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	for (int t = 0; t < (int)(sizeof types / sizeof *types); t++) {
		for (int o = 0; o < (int)(sizeof ops / sizeof *ops); o++) {
			char a[32] = {0}, b[32] = {0};
			if (ops[o] != MPI_REPLACE && ops[o] != MPI_NO_OP &&
			    MPI_Reduce_local(a, b, 1, types[t], ops[o]) != MPI_SUCCESS)
				continue;
			for (int gaps = 0; gaps < 4; gaps++)
				one(types[t], t, ops[o], o, gaps == o % 4 && many ? MOST - t : 1 + (t + 7 * o) % 40, gaps, base);
			one(types[t], t, ops[o], o, 1, 0, base);
			done++;
		}
	}
	CHECK(done > 150);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* exact: all ranks add to the elements of all ranks at a time, in calls of one element and of many. */
#define EXACT(T, type, layout, turns) do { \
	enum { N = 6000 }; \
	T *ones = (T *)from, *a = (T *)got, *all = (T *)mine, one = 1, old; \
	MPI_Datatype spread; \
	OK(MPI_Type_vector(N / 2, 1, 2, type, &spread)); \
	OK(MPI_Type_commit(&spread)); \
	MPI_Aint base = disp(0); \
	for (int i = 0; i < N; i++) \
		ones[i] = 1; \
	memset(mine, 0, N * sizeof(T)); \
	OK(MPI_Barrier(MPI_COMM_WORLD)); \
	OK(MPI_Win_lock_all(0, w)); \
	for (int i = 0; i < turns; i++) { \
		int n = i % 3 ? 7 : N, at = i % 3 == 1 ? 990 : 0; \
		OK(MPI_Accumulate(ones, n, type, 0, base + at * sizeof(T), n, type, MPI_SUM, w)); \
		OK(MPI_Fetch_and_op(&one, &old, type, 0, base + 999 * sizeof(T), MPI_SUM, w)); \
		OK(MPI_Accumulate(&one, 1, type, 0, base, 1, type, MPI_SUM, w)); \
		OK(MPI_Accumulate(ones, N / 2, type, 0, base, 1, spread, MPI_SUM, w)); \
		OK(MPI_Get_accumulate(ones, 2100, type, a, 2100, type, 0, base, 2100, type, MPI_SUM, w)); \
		CHECK(a[1] <= a[0] && a[3] == a[5]); /* 1 gets all that 0 gets but for some */ \
	} \
	OK(MPI_Win_unlock_all(w)); \
	OK(MPI_Barrier(MPI_COMM_WORLD)); \
	if (rank == 0) { \
		OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w)); \
		for (int i = 0; i < N; i++) { \
			int k = (turns + 2) / 3 + (i < 7) * (turns / 3) + (i >= 990 && i < 997) * ((turns + 1) / 3); \
			k += (i == 999) * turns + (i == 0) * turns + (i % 2 == 0) * turns + (i < 2100) * turns; \
			if (all[i] != (T)k * size) \
				fprintf(stderr, "flavor %d: element %d has %g, not %d\n", flavor, i, (double)all[i], k * size); \
			CHECK(all[i] == (T)k * size); \
		} \
		OK(MPI_Win_unlock(0, w)); \
	} \
	OK(MPI_Type_free(&spread)); \
	OK(MPI_Barrier(MPI_COMM_WORLD)); \
} while (0)

static void exact(int turns) {
	EXACT(int64_t, MPI_INT64_T, 0, turns);
	EXACT(int32_t, MPI_INT32_T, 0, turns);
	EXACT(int16_t, MPI_INT16_T, 0, turns);
	EXACT(double, MPI_DOUBLE, 0, turns);
	EXACT(float, MPI_FLOAT, 0, turns);
}

/* threads: those of a rank that has the lock alone accumulate at a time. */
enum { ADDED = 400, TURNS = 2000 };

static void *adds(void *type) {
	double *ones = (double *)from;
	(void)type;
	for (int i = 0; i < TURNS; i++)
		OK(MPI_Accumulate(ones, ADDED, MPI_DOUBLE, 0, 0, ADDED, MPI_DOUBLE, MPI_SUM, w));
	return NULL;
}

static void threads(void) {
	pthread_t other;
	double *all = (double *)mine;
	for (int i = 0; i < ADDED; i++)
		((double *)from)[i] = 1;
	memset(mine, 0, BYTES);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w));
	CHECK(pthread_create(&other, NULL, adds, NULL) == 0);
	adds(NULL);
	CHECK(pthread_join(other, NULL) == 0);
	OK(MPI_Win_unlock(0, w));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 0; rank == 0 && i < ADDED; i++)
		CHECK(all[i] == 2.0 * TURNS * size);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv) {
	int flavors[] = {MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_DYNAMIC, MPI_WIN_FLAVOR_SHARED};
	int nodes = argc > 2;
	join(argc > 1 && strcmp(argv[1], "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
	char **all[] = {&from, &want, &got, &was, &before};
	for (int i = 0; i < 5; i++)
		CHECK((*all[i] = calloc(1, BYTES)) != NULL);
	if (argc > 1 && strcmp(argv[1], "threads") == 0) {
		make(MPI_WIN_FLAVOR_ALLOCATE);
		threads();
		end();
	} else {
		for (int i = 0; i < (nodes ? 3 : 4); i++) {
			make(flavors[i]);
			exact(nodes ? 9 : 60);
			if (i < 2 && !nodes)
				all_operators(1);
			else if (i == 0)
				all_operators(0);
			end();
		}
	}
	OK(MPI_Finalize());
	return 0;
}
