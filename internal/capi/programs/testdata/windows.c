/* Windows: flavors, epochs, all operations, layouts, queries, attributes, errors. */
#include "program.h"

static int class_of(int code) {
	int class;
	OK(MPI_Error_class(code, &class));
	return class;
}

#define FAILS(class, call) CHECK(class_of(call) == (class))

#define LENGTH 600 /* ints of a window */

static int strangers; /* ranks may not read one another's memory */
static int nodes; /* the first rank is on another node than the others */
#define FAR(r) (nodes && ((r) == 0) != (rank == 0))

typedef struct {
	MPI_Win w;
	int *mine;
	int flavor, unit, apart;
} window;

static window make(int flavor) {
	window v = {.flavor = flavor, .unit = sizeof(int)};
	MPI_Aint bytes = LENGTH * sizeof(int);
	MPI_Info info = MPI_INFO_NULL;
	if (flavor == MPI_WIN_FLAVOR_CREATE) {
		v.mine = malloc(bytes);
		OK(MPI_Win_create(v.mine, bytes, v.unit, info, MPI_COMM_WORLD, &v.w));
	} else if (flavor == MPI_WIN_FLAVOR_ALLOCATE) {
		OK(MPI_Win_allocate(bytes, v.unit, info, MPI_COMM_WORLD, &v.mine, &v.w));
	} else if (flavor == MPI_WIN_FLAVOR_SHARED) {
		OK(MPI_Win_allocate_shared_c(bytes, v.unit, info, MPI_COMM_WORLD, &v.mine, &v.w));
	} else { /* shared, but not contiguous */
		v.flavor = MPI_WIN_FLAVOR_SHARED;
		v.apart = 1;
		OK(MPI_Info_create(&info));
		OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
		OK(MPI_Win_allocate_shared(bytes, v.unit, info, MPI_COMM_WORLD, &v.mine, &v.w));
		OK(MPI_Info_free(&info));
	}
	OK(MPI_Win_set_errhandler(v.w, MPI_ERRORS_RETURN));
	return v;
}

static void end(window *v) {
	OK(MPI_Win_free(&v->w));
	CHECK(v->w == MPI_WIN_NULL);
	if (v->flavor == MPI_WIN_FLAVOR_CREATE)
		free(v->mine);
}

static void about(window *v) {
	void *at;
	int flag, *number, n;
	MPI_Aint *bytes;
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Group group;
	MPI_Info info;
	OK(MPI_Win_get_attr(v->w, MPI_WIN_BASE, &at, &flag));
	CHECK(flag && at == v->mine);
	OK(MPI_Win_get_attr(v->w, MPI_WIN_SIZE, &bytes, &flag));
	CHECK(flag && *bytes == LENGTH * sizeof(int));
	OK(MPI_Win_get_attr(v->w, MPI_WIN_DISP_UNIT, &number, &flag));
	CHECK(flag && *number == v->unit);
	OK(MPI_Win_get_attr(v->w, MPI_WIN_CREATE_FLAVOR, &number, &flag));
	CHECK(flag && *number == v->flavor);
	OK(MPI_Win_get_attr(v->w, MPI_WIN_MODEL, &number, &flag));
	CHECK(flag && *number == MPI_WIN_UNIFIED);
	OK(MPI_Win_get_name(v->w, name, &n));
	CHECK(n == 0);
	OK(MPI_Win_set_name(v->w, "grid"));
	OK(MPI_Win_get_name(v->w, name, &n));
	CHECK(n == 4 && strcmp(name, "grid") == 0);
	OK(MPI_Win_get_group(v->w, &group));
	OK(MPI_Group_size(group, &n));
	CHECK(n == size);
	OK(MPI_Group_free(&group));
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "no such hint", "1"));
	OK(MPI_Win_set_info(v->w, info));
	OK(MPI_Info_free(&info));
	OK(MPI_Win_get_info(v->w, &info));
	OK(MPI_Info_get(info, "no such hint", sizeof name - 1, name, &flag));
	CHECK(!flag);
	const char *hints[][2] = {
		{"no_locks", "false"}, {"accumulate_ordering", "rar,raw,war,waw"}, {"accumulate_ops", "same_op_no_op"},
		{"same_size", "false"}, {"same_disp_unit", "false"}, {"mpi_accumulate_granularity", "0"},
		{"alloc_shared_noncontig", v->apart ? "true" : "false"},
	};
	for (int i = 0; i < 7; i++) {
		OK(MPI_Info_get(info, hints[i][0], sizeof name - 1, name, &flag));
		CHECK(flag && strcmp(name, hints[i][1]) == 0);
	}
	OK(MPI_Info_free(&info));
}

/* fences: a column goes to the right neighbour, and comes back as a row. */
static void fences(window *v) {
	int right = (rank + 1) % size, left = (rank + size - 1) % size, out[20], in[20];
	MPI_Datatype column;
	OK(MPI_Type_vector(20, 1, 30, MPI_INT, &column));
	OK(MPI_Type_commit(&column));
	OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, v->w));
	memset(v->mine, -1, LENGTH * sizeof(int));
	OK(MPI_Win_fence(0, v->w));
	for (int i = 0; i < 20; i++)
		out[i] = rank * 1000 + i;
	OK(MPI_Put(out, 20, MPI_INT, right, 7, 1, column, v->w));
	OK(MPI_Put(out, 20, MPI_INT, MPI_PROC_NULL, 0, 20, MPI_INT, v->w));
	OK(MPI_Win_fence(0, v->w));
	for (int i = 0; i < LENGTH; i++)
		CHECK(v->mine[i] == (i % 30 == 7 ? left * 1000 + i / 30 : -1));
	OK(MPI_Get(in, 20, MPI_INT, right, 7, 1, column, v->w));
	OK(MPI_Get_c(in, 0, MPI_INT, right, 7, 0, column, v->w));
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, v->w));
	CHECK(memcmp(in, out, sizeof in) == 0);
	OK(MPI_Type_free(&column));
}

/* shared: the memory of others is found, read and written. */
static void query(window *v, int one_space) {
	MPI_Aint bytes;
	int unit;
	int *at;
	v->mine[3] = rank + 50;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int r = 0; r < size; r++) {
		OK(MPI_Win_shared_query(v->w, r, &bytes, &unit, &at));
		if (FAR(r) || (v->flavor == MPI_WIN_FLAVOR_CREATE && !one_space && r != rank)) {
			CHECK(bytes == 0 && at == NULL);
			continue;
		}
		CHECK(bytes == LENGTH * sizeof(int) && unit == v->unit && at[3] == r + 50);
	}
	FAILS(MPI_ERR_RANK, MPI_Win_shared_query(v->w, size, &bytes, &unit, &at));
	OK(MPI_Win_shared_query(v->w, MPI_PROC_NULL, &bytes, &unit, &at)); /* that of rank 0, or nobody's */
	if (FAR(0) || (v->flavor == MPI_WIN_FLAVOR_CREATE && !one_space && rank > 0))
		CHECK(bytes == 0 && at == NULL);
	else
		CHECK(bytes == LENGTH * sizeof(int) && at[3] == 50);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* locks: all ranks count at rank 0 by get and put, which the lock makes one. */
static void locks(window *v) {
	int n;
	v->mine[0] = 0;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 0; i < 100; i++) {
		OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, v->w));
		OK(MPI_Get(&n, 1, MPI_INT, 0, 0, 1, MPI_INT, v->w));
		OK(MPI_Win_flush(0, v->w));
		n++;
		OK(MPI_Put(&n, 1, MPI_INT, 0, 0, 1, MPI_INT, v->w));
		OK(MPI_Win_unlock(0, v->w));
		if (i % 10 == 0) { /* others get in between, or not */
			OK(MPI_Win_lock_all(0, v->w));
			OK(MPI_Get(&n, 1, MPI_INT, 0, 0, 1, MPI_INT, v->w));
			OK(MPI_Win_flush_all(v->w));
			OK(MPI_Win_unlock_all(v->w));
			CHECK(n > i);
		}
		if (i % 7 == 0) {
			OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, v->w));
			OK(MPI_Win_lock(MPI_LOCK_SHARED, size - 1 ? size - 1 : MPI_PROC_NULL, 0, v->w));
			OK(MPI_Get(&n, 1, MPI_INT, 0, 0, 1, MPI_INT, v->w));
			OK(MPI_Win_flush_local(0, v->w));
			OK(MPI_Win_unlock(size - 1 ? size - 1 : MPI_PROC_NULL, v->w));
			OK(MPI_Win_unlock(0, v->w));
			CHECK(n > i);
		}
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (rank == 0) {
		OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, v->w));
		CHECK(v->mine[0] == 100 * size);
		OK(MPI_Win_unlock(0, v->w));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* atomics: all ranks at once, by all calls that accumulate, on elements of several types. */
static void atomics(window *v) {
	struct {
		double d;
		int i;
	} pair = {rank, rank}, old;
	int one = 1, got, none, last = -1;
	short small = 1;
	double d = 1, row[8];
	MPI_Request requests[2];
	memset(v->mine, 0, LENGTH * sizeof(int));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, v->w));
	for (int i = 0; i < 8; i++)
		row[i] = i;
	for (int i = 0; i < 50; i++) {
		OK(MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 0, MPI_SUM, v->w));
		CHECK(got > last && got < 50 * size);
		last = got;
		OK(MPI_Accumulate(&small, 1, MPI_SHORT, 0, 1, 1, MPI_SHORT, MPI_SUM, v->w));
		OK(MPI_Accumulate(&d, 1, MPI_DOUBLE, 0, 2, 1, MPI_DOUBLE, MPI_SUM, v->w));
		OK(MPI_Raccumulate(row, 8, MPI_DOUBLE, 0, 4, 8, MPI_DOUBLE, MPI_SUM, v->w, &requests[0]));
		OK(MPI_Rget_accumulate(&one, 1, MPI_INT, &got, 1, MPI_INT, 0, 30, 1, MPI_INT, MPI_SUM, v->w, &requests[1]));
		OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
		OK(MPI_Accumulate(&pair, 1, MPI_DOUBLE_INT, 0, 32, 1, MPI_DOUBLE_INT, MPI_MAXLOC, v->w));
	}
	/* a lock by compare and swap, given back by a get and accumulate that replaces */
	for (int i = 0; i < 20; i++) {
		none = 0;
		do
			OK(MPI_Compare_and_swap(&one, &none, &got, MPI_INT, 0, 40, v->w));
		while (got != 0);
		OK(MPI_Get(&got, 1, MPI_INT, 0, 41, 1, MPI_INT, v->w));
		OK(MPI_Win_flush(0, v->w));
		got++;
		OK(MPI_Put(&got, 1, MPI_INT, 0, 41, 1, MPI_INT, v->w));
		OK(MPI_Win_flush(0, v->w));
		OK(MPI_Get_accumulate(&none, 1, MPI_INT, &got, 1, MPI_INT, 0, 40, 1, MPI_INT, MPI_REPLACE, v->w));
		CHECK(got == 1);
	}
	OK(MPI_Win_unlock_all(v->w));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, v->w));
	OK(MPI_Fetch_and_op(NULL, &got, MPI_INT, 0, 0, MPI_NO_OP, v->w));
	CHECK(got == 50 * size);
	OK(MPI_Get(&small, 1, MPI_SHORT, 0, 1, 1, MPI_SHORT, v->w));
	CHECK(small == 50 * size);
	OK(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, row, 8, MPI_DOUBLE, 0, 4, 8, MPI_DOUBLE, MPI_NO_OP, v->w));
	for (int i = 0; i < 8; i++)
		CHECK(row[i] == 50.0 * size * i);
	OK(MPI_Rget(&d, 1, MPI_DOUBLE, 0, 2, 1, MPI_DOUBLE, v->w, &requests[0]));
	OK(MPI_Rput(&got, 0, MPI_INT, 0, 0, 0, MPI_INT, v->w, &requests[1]));
	OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
	CHECK(d == 50.0 * size);
	OK(MPI_Fetch_and_op(NULL, &old, MPI_DOUBLE_INT, 0, 32, MPI_NO_OP, v->w));
	CHECK(old.d == size - 1 && old.i == size - 1);
	OK(MPI_Get(&got, 1, MPI_INT, 0, 41, 1, MPI_INT, v->w));
	CHECK(got == 20 * size);
	OK(MPI_Win_unlock(0, v->w));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* groups: each rank exposes its memory to its left neighbour. */
static void groups(window *v) {
	int right = (rank + 1) % size, left = (rank + size - 1) % size, flag = 0;
	MPI_Group all, to, from;
	OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
	OK(MPI_Group_incl(all, 1, &right, &to));
	OK(MPI_Group_incl(all, 1, &left, &from));
	for (int i = 0; i < 20; i++) {
		int value = rank * 100 + i;
		OK(MPI_Win_post(from, 0, v->w));
		OK(MPI_Win_start(to, 0, v->w));
		OK(MPI_Put(&value, 1, MPI_INT, right, i, 1, MPI_INT, v->w));
		if (size > 2)
			FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_INT, left, i, 1, MPI_INT, v->w));
		FAILS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, v->w));
		FAILS(MPI_ERR_RMA_SYNC, MPI_Win_post(from, 0, v->w));
		FAILS(MPI_ERR_RMA_SYNC, MPI_Win_start(to, 0, v->w));
		OK(MPI_Win_complete(v->w));
		if (i % 2)
			OK(MPI_Win_wait(v->w));
		else
			for (flag = 0; !flag;)
				OK(MPI_Win_test(v->w, &flag));
		CHECK(v->mine[i] == left * 100 + i);
	}
	OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, v->w));
	OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, v->w));
	OK(MPI_Win_complete(v->w));
	OK(MPI_Win_wait(v->w));
	OK(MPI_Group_free(&all));
	OK(MPI_Group_free(&to));
	OK(MPI_Group_free(&from));
}

/* told: the string of an error is one line, which names calls as C does. */
static void told(int code, int class, const char *cause) {
	char text[MPI_MAX_ERROR_STRING];
	int n;
	CHECK(class_of(code) == class);
	OK(MPI_Error_string(code, text, &n));
	if (strstr(text, cause) == NULL || strchr(text, '\n') != NULL) {
		fprintf(stderr, "no \"%s\", or two lines: %s\n", cause, text);
		exit(77);
	}
}

/* passive: the first rank makes no call until the last one, which locks, reads, writes and accumulates, has written its
 * last word. */
static void passive(window *v) {
	int zero = 0, one = 1, got, rows[2][100];
	memset(v->mine, 0, LENGTH * sizeof(int));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (rank == 0)
		while (size > 1 && __atomic_load_n(&v->mine[500], __ATOMIC_ACQUIRE) != 7)
			; /* it computes */
	else if (rank == size - 1) {
		for (int i = 0; i < 100; i++)
			rows[0][i] = i;
		for (int i = 0; i < 20; i++) {
			OK(MPI_Win_lock(i % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, v->w));
			OK(MPI_Put(rows[0], 100, MPI_INT, 0, 100, 100, MPI_INT, v->w));
			OK(MPI_Win_flush(0, v->w));
			OK(MPI_Get(rows[1], 100, MPI_INT, 0, 100, 100, MPI_INT, v->w));
			OK(MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 0, MPI_SUM, v->w));
			OK(MPI_Win_unlock(0, v->w));
			CHECK(got == i && memcmp(rows[0], rows[1], sizeof rows[0]) == 0);
		}
		OK(MPI_Win_lock_all(0, v->w));
		got = 7;
		OK(MPI_Compare_and_swap(&got, &zero, &one, MPI_INT, 0, 500, v->w));
		OK(MPI_Win_unlock_all(v->w));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* large: a row of a megabyte, and layouts of as much that all ranks add to at the same time. */
static void large(int created) {
	enum { N = 1 << 18 };
	MPI_Win w;
	MPI_Datatype odd;
	int *mine, *own = calloc(2 * N, sizeof(int)), *row = malloc(N * sizeof(int)), to = size - 1;
	if (created) {
		OK(MPI_Win_create(mine = own, 2 * N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	} else {
		OK(MPI_Win_allocate(2 * N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &w));
	}
	OK(MPI_Type_vector(N / 8, 4, 8, MPI_INT, &odd));
	OK(MPI_Type_commit(&odd));
	for (int i = 0; i < N; i++)
		row[i] = i;
	OK(MPI_Win_fence(0, w));
	if (rank == 0)
		OK(MPI_Put(row, N, MPI_INT, to, 0, N, MPI_INT, w));
	OK(MPI_Accumulate(row, N / 2, MPI_INT, to, N, 1, odd, MPI_SUM, w));
	OK(MPI_Accumulate(row, N / 2, MPI_INT, to, N, 1, odd, MPI_SUM, w));
	OK(MPI_Win_fence(0, w));
	if (rank == to)
		for (int i = 0; i < N; i++)
			CHECK(mine[i] == i && mine[N + i] == (i % 8 < 4 ? 2 * size * (i / 8 * 4 + i % 8) : 0));
	memset(row, 0, N * sizeof(int));
	OK(MPI_Get(row, 1, odd, to, N, 1, odd, w));
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w));
	for (int i = 0; i < N - 4; i++)
		CHECK(row[i] == (i % 8 < 4 ? 2 * size * (i / 8 * 4 + i % 8) : 0));
	OK(MPI_Type_free(&odd));
	OK(MPI_Win_free(&w));
	free(row);
	free(own);
}

static void refusals(window *v) {
	int x = 0;
	double numbers[2];
	MPI_Datatype pair, types[2] = {MPI_INT, MPI_DOUBLE};
	int lengths[2] = {1, 1};
	MPI_Aint places[2] = {0, 8};
	told(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, v->w), MPI_ERR_RMA_SYNC,
	     "call MPI_Win_fence, MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all first");
	told(MPI_Win_unlock(0, v->w), MPI_ERR_RMA_SYNC, "MPI_Win_unlock without MPI_Win_lock");
	FAILS(MPI_ERR_RMA_SYNC, MPI_Win_flush(0, v->w));
	FAILS(MPI_ERR_RMA_SYNC, MPI_Win_complete(v->w));
	FAILS(MPI_ERR_RMA_SYNC, MPI_Win_wait(v->w));
	OK(MPI_Win_fence(0, v->w));
	MPI_Request r;
	told(MPI_Rput(&x, 0, MPI_INT, rank, 0, 0, MPI_INT, v->w, &r), MPI_ERR_RMA_SYNC,
	     "a request within the epoch of MPI_Win_fence");
	CHECK(r == MPI_REQUEST_NULL);
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, v->w));
	FAILS(MPI_ERR_LOCKTYPE, MPI_Win_lock(7, 0, 0, v->w));
	FAILS(MPI_ERR_ASSERT, MPI_Win_fence(1 << 20, v->w));
	FAILS(MPI_ERR_RANK, MPI_Win_lock(MPI_LOCK_SHARED, size, 0, v->w));
	FAILS(MPI_ERR_RMA_FLAVOR, MPI_Win_attach(v->w, &x, 4));
	OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, v->w));
	FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, v->w));
	FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, v->w));
	FAILS(MPI_ERR_RMA_SYNC, MPI_Win_free(&v->w));
	FAILS(MPI_ERR_RMA_RANGE, MPI_Put(&x, 1, MPI_INT, rank, LENGTH, 1, MPI_INT, v->w));
	FAILS(MPI_ERR_RMA_RANGE, MPI_Get(&x, 1, MPI_INT, rank, -1, 1, MPI_INT, v->w));
	FAILS(MPI_ERR_TRUNCATE, MPI_Put(&x, 1, MPI_INT, rank, 0, 2, MPI_INT, v->w));
	FAILS(MPI_ERR_RANK, MPI_Put(&x, 1, MPI_INT, -7, 0, 1, MPI_INT, v->w));
	FAILS(MPI_ERR_BUFFER, MPI_Fetch_and_op(NULL, &x, MPI_INT, rank, 0, MPI_SUM, v->w));
	FAILS(MPI_ERR_BUFFER, MPI_Fetch_and_op(&x, NULL, MPI_INT, rank, 0, MPI_NO_OP, v->w));
	FAILS(MPI_ERR_BUFFER, MPI_Fetch_and_op(&x, MPI_IN_PLACE, MPI_INT, rank, 0, MPI_SUM, v->w));
	FAILS(MPI_ERR_BUFFER, MPI_Compare_and_swap(&x, NULL, &x, MPI_INT, rank, 0, v->w));
	OK(MPI_Type_create_struct(2, lengths, places, types, &pair));
	OK(MPI_Type_commit(&pair));
	FAILS(MPI_ERR_TYPE, MPI_Accumulate(&x, 1, pair, rank, 0, 1, pair, MPI_REPLACE, v->w));
	OK(MPI_Type_free(&pair));
	lengths[0] = 0; /* what is left is of one type */
	OK(MPI_Type_create_struct(2, lengths, places, types, &pair));
	OK(MPI_Type_commit(&pair));
	OK(MPI_Get_accumulate(NULL, 0, MPI_DOUBLE, numbers, 1, pair, rank, 0, 1, pair, MPI_NO_OP, v->w));
	OK(MPI_Type_free(&pair));
	FAILS(MPI_ERR_TYPE, MPI_Compare_and_swap(&x, &x, &x, MPI_FLOAT, rank, 0, v->w));
	FAILS(MPI_ERR_OP, MPI_Accumulate(&x, 1, MPI_FLOAT, rank, 0, 1, MPI_FLOAT, MPI_BAND, v->w));
	OK(MPI_Win_unlock(rank, v->w));
	OK(MPI_Win_sync(v->w));
}

/* put_wrongly puts to memory that is not attached. A target that is reached by requests finds that out. */
static void put_wrongly(MPI_Win w, int to, MPI_Aint at, int n, MPI_Datatype t) {
	int two[2] = {-1, -1}, code = MPI_Put(two, n, MPI_INT, to, at, 1, t, w);
	if (FAR(to) || (strangers && to != rank)) {
		OK(code);
		code = MPI_Win_flush(to, w);
	}
	FAILS(MPI_ERR_RMA_RANGE, code);
}

/* fails_and_meets: an epoch with a wrong operation ends for all. The end says so where the operation cannot. */
static void fails_and_meets(MPI_Win w, int *mine, MPI_Aint of, int right, int left) {
	int value = rank, late = FAR(right) || (strangers && right != rank);
	MPI_Group all, to, from;
	OK(MPI_Win_fence(0, w));
	FAILS(late ? MPI_SUCCESS : MPI_ERR_RMA_RANGE, MPI_Put(&value, 1, MPI_INT, right, 8, 1, MPI_INT, w));
	FAILS(late ? MPI_ERR_RMA_RANGE : MPI_SUCCESS, MPI_Win_fence(0, w));
	mine[0] = 100 + rank;
	OK(MPI_Win_fence(0, w));
	OK(MPI_Get(&value, 1, MPI_INT, right, of, 1, MPI_INT, w));
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w));
	CHECK(value == 100 + right);
	OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
	OK(MPI_Group_incl(all, 1, &right, &to));
	OK(MPI_Group_incl(all, 1, &left, &from));
	OK(MPI_Win_post(from, 0, w));
	OK(MPI_Win_start(to, 0, w));
	FAILS(late ? MPI_SUCCESS : MPI_ERR_RMA_RANGE, MPI_Put(&value, 1, MPI_INT, right, 8, 1, MPI_INT, w));
	FAILS(late ? MPI_ERR_RMA_RANGE : MPI_SUCCESS, MPI_Win_complete(w));
	OK(MPI_Win_wait(w));
	OK(MPI_Group_free(&all));
	OK(MPI_Group_free(&to));
	OK(MPI_Group_free(&from));
}

/* dynamic: the address of a list is told by a message. */
static void dynamic(void) {
	MPI_Win w;
	MPI_Aint at, of;
	int *mine = calloc(200, sizeof(int)), right = (rank + 1) % size, left = (rank + size - 1) % size, value = rank;
	MPI_Aint bytes, ends[2] = {396, 600}, beyond[2] = {396, 500};
	MPI_Datatype pieces, outside;
	int unit, two[2] = {rank, rank};
	OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	OK(MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN));
	OK(MPI_Win_attach(w, mine + 150, 200));
	OK(MPI_Win_attach(w, mine, 400));
	OK(MPI_Type_create_hindexed_block(2, 1, ends, MPI_INT, &pieces));
	OK(MPI_Type_create_hindexed_block(2, 1, beyond, MPI_INT, &outside));
	OK(MPI_Type_commit(&pieces));
	OK(MPI_Type_commit(&outside));
	FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_attach(w, mine + 10, 4));
	FAILS(MPI_ERR_RMA_FLAVOR, MPI_Win_shared_query(w, 0, &bytes, &unit, &at));
	OK(MPI_Get_address(mine, &at));
	OK(MPI_Sendrecv(&at, 1, MPI_AINT, left, 0, &of, 1, MPI_AINT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Win_lock_all(0, w));
	OK(MPI_Put(&value, 1, MPI_INT, right, of, 1, MPI_INT, w));
	OK(MPI_Accumulate(&value, 1, MPI_INT, right, of + 4, 1, MPI_INT, MPI_SUM, w));
	put_wrongly(w, right, 8, 1, MPI_INT);
	put_wrongly(w, right, of + 398, 1, MPI_INT); /* and its end */
	FAILS(MPI_ERR_RMA_RANGE, MPI_Get(&value, 1, MPI_INT, right, of - 1, 1, MPI_INT, w));
	OK(MPI_Put(two, 2, MPI_INT, right, of, 1, pieces, w));
	put_wrongly(w, right, of, 2, outside);
	OK(MPI_Win_unlock_all(w));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	CHECK(mine[0] == left && mine[1] == left && mine[99] == left && mine[150] == left && mine[125] == 0);
	OK(MPI_Type_free(&pieces));
	OK(MPI_Type_free(&outside));
	fails_and_meets(w, mine, of, right, left);
	FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_detach(w, mine + 1));
	OK(MPI_Win_detach(w, mine));
	OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w));
	FAILS(MPI_ERR_RMA_RANGE, MPI_Get(&value, 1, MPI_INT, rank, at, 1, MPI_INT, w));
	OK(MPI_Win_unlock(rank, w));
	OK(MPI_Win_detach(w, mine + 150));
	OK(MPI_Win_free(&w));
	free(mine);
}

/* aligned: allocated memory begins where the program wants it, and others find it there. */
static void aligned(void) {
	MPI_Win w;
	MPI_Info info;
	char *at;
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "65536"));
	OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
	for (int shared = 0; shared < (nodes ? 1 : 2); shared++) {
		if (shared) OK(MPI_Win_allocate_shared(100 + rank, 1, info, MPI_COMM_WORLD, &at, &w));
		else OK(MPI_Win_allocate(100 + rank, 1, info, MPI_COMM_WORLD, &at, &w));
		CHECK((size_t)at % 65536 == 0);
		OK(MPI_Win_fence(0, w));
		OK(MPI_Put(&rank, 1, MPI_INT, right, 96 + right, 1, MPI_INT, w));
		OK(MPI_Win_fence(0, w));
		int got;
		memcpy(&got, at + 96 + rank, sizeof(got));
		CHECK(got == left);
		if (shared) {
			MPI_Aint bytes;
			int unit;
			char *there;
			OK(MPI_Win_shared_query(w, right, &bytes, &unit, &there));
			memcpy(&got, there + 96 + right, sizeof(got));
			CHECK(bytes == 100 + right && got == rank);
		}
		OK(MPI_Win_free(&w));
	}
	if (!nodes) {
		OK(MPI_Info_set(info, "alloc_shared_noncontig", "false"));
		OK(MPI_Win_allocate_shared(100 + rank, 1, info, MPI_COMM_WORLD, &at, &w));
		CHECK(rank > 0 || (size_t)at % 65536 == 0);
		memset(at, rank + 1, 100 + rank);
		OK(MPI_Win_fence(0, w));
		MPI_Aint bytes;
		int unit;
		char *there;
		OK(MPI_Win_shared_query(w, right, &bytes, &unit, &there));
		CHECK(bytes == 100 + right && there[0] == right + 1 && there[bytes - 1] == right + 1);
		OK(MPI_Win_fence(0, w));
		OK(MPI_Win_free(&w));
	}
	for (int bytes = 1; bytes < 1 << 24; bytes *= 7) {
		OK(MPI_Alloc_mem(bytes, info, &at));
		CHECK((size_t)at % 65536 == 0);
		memset(at, 1, bytes);
		OK(MPI_Free_mem(at));
	}
	OK(MPI_Info_free(&info));
}

/* wrong: what one rank does wrong in making a window is an error of all. */
static void wrong(void) {
	MPI_Win w;
	int *at;
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	FAILS(MPI_ERR_WIN, MPI_Win_sync(MPI_WIN_NULL));
	int unit = rank == size - 1 ? 0 : 4, code = MPI_Win_allocate(16, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &at, &w);
	CHECK(code != MPI_SUCCESS);
	CHECK(rank < size - 1 || class_of(code) == MPI_ERR_DISP);
	MPI_Aint much = rank == size - 1 ? (MPI_Aint)1 << 50 : 8;
	told(MPI_Win_allocate(much, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &at, &w), MPI_ERR_NO_MEM, "1125899906842624 bytes");
	if (!nodes)
		told(MPI_Win_allocate_shared(much, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &at, &w), MPI_ERR_NO_MEM, "no room left");
	MPI_Info info;
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "mpi_accumulate_granularity", "-1"));
	told(MPI_Win_allocate(16, 0, info, MPI_COMM_WORLD, &at, &w), MPI_ERR_DISP, "; wrong argument: the hint");
	OK(MPI_Info_free(&info));
	code = MPI_Win_create(NULL, rank == size - 1 ? -1 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
	CHECK(rank < size - 1 || class_of(code) == MPI_ERR_SIZE);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

#include "windows_short.h"

int main(int argc, char **argv) {
	const int flavors[] = {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_SHARED, 0};
	join(MPI_THREAD_SINGLE);
	int one_space = argc > 1 && strcmp(argv[1], "pvas") == 0;
	strangers = argc > 1 && strcmp(argv[1], "strangers") == 0;
	nodes = argc > 2;
	for (int i = 0; i < 4; i++) {
		if (nodes && i >= 2) {
			void *at;
			MPI_Win w;
			OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
			FAILS(MPI_ERR_RMA_SHARED, MPI_Win_allocate_shared(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &at, &w));
			continue;
		}
		window v = make(flavors[i]);
		about(&v);
		fences(&v);
		query(&v, one_space);
		locks(&v);
		atomics(&v);
		groups(&v);
		passive(&v);
		refusals(&v);
		short_calls(&v);
		end(&v);
	}
	aligned();
	dynamic();
	large(0);
	large(1);
	wrong();
	if (size == 1)
		many();
	OK(MPI_Finalize());
	return 0;
}
