/* Calls that C may do without Go: at their limits, beside the same calls that Go does, and by wrong handles. */

/* short_limits: lengths, ends of the memory, places that are not aligned, targets and buffers that are none. */
static void short_limits(window *v) {
	static char bytes[LENGTH * sizeof(int)], back[LENGTH * sizeof(int)];
	int next = (rank + 1) % size, got = 0;
	for (int i = 0; i < (int)sizeof bytes; i++)
		bytes[i] = (char)(i * 7 + rank);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	const int lengths[] = {1, 8, 9, sizeof bytes - 4, sizeof bytes};
	for (int i = 0; i < 5; i++) {
		OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, v->w));
		OK(MPI_Put(bytes, lengths[i], MPI_BYTE, next, 0, lengths[i], MPI_CHAR, v->w));
		OK(MPI_Win_flush(next, v->w));
		OK(MPI_Get(back, lengths[i], MPI_CHAR, next, 0, lengths[i], MPI_BYTE, v->w));
		OK(MPI_Win_unlock(next, v->w));
		CHECK(memcmp(bytes, back, lengths[i]) == 0);
	}
	OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, v->w));
	OK(MPI_Put(bytes, 1, MPI_INT, next, LENGTH - 1, 1, MPI_INT, v->w));
	FAILS(MPI_ERR_RMA_RANGE, MPI_Put(bytes, 2, MPI_INT, next, LENGTH - 1, 2, MPI_INT, v->w));
	FAILS(MPI_ERR_RMA_RANGE, MPI_Get(bytes, 1, MPI_INT, next, LENGTH, 1, MPI_INT, v->w));
	FAILS(MPI_ERR_RMA_RANGE, MPI_Get(bytes, 1, MPI_INT, next, -1, 1, MPI_INT, v->w));
	FAILS(MPI_ERR_RMA_RANGE, MPI_Get(bytes, 1, MPI_INT, next, (MPI_Aint)1 << 62, 1, MPI_INT, v->w));
	FAILS(MPI_ERR_TRUNCATE, MPI_Put(bytes, 2, MPI_INT, next, 0, 1, MPI_INT, v->w));
	FAILS(MPI_ERR_BUFFER, MPI_Put(NULL, 1, MPI_INT, next, 0, 1, MPI_INT, v->w));
	FAILS(MPI_ERR_RANK, MPI_Put(bytes, 1, MPI_INT, size, 0, 1, MPI_INT, v->w));
	FAILS(MPI_ERR_RANK, MPI_Win_flush(size, v->w));
	FAILS(MPI_ERR_OP, MPI_Accumulate(bytes, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, MPI_BAND, v->w));
	FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, next, 0, v->w));
	OK(MPI_Put(bytes, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, v->w));
	OK(MPI_Win_flush_local(MPI_PROC_NULL, v->w));
	OK(MPI_Win_flush(next, v->w));
	OK(MPI_Fetch_and_op(NULL, &got, MPI_INT, next, LENGTH - 1, MPI_NO_OP, v->w));
	CHECK(memcmp(&got, bytes, sizeof got) == 0);
	OK(MPI_Win_unlock(next, v->w));
	FAILS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(next, v->w));
	FAILS(MPI_ERR_RMA_SYNC, MPI_Put(bytes, 1, MPI_INT, next, 0, 1, MPI_INT, v->w));
	FAILS(MPI_ERR_RMA_SYNC, MPI_Win_flush(next, v->w));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* both_ways: even turns are for C, odd ones for Go, as the datatype is not predefined. All change the same elements.
   Also a counter that is read and written under an exclusive lock, for which ranks wait, beside locks of all. */
static void both_ways(window *v) {
	enum { TURNS = 20 };
	MPI_Datatype real, whole;
	double d = 1, sum;
	int one = 1, got;
	OK(MPI_Type_contiguous(1, MPI_DOUBLE, &real));
	OK(MPI_Type_contiguous(1, MPI_INT, &whole));
	OK(MPI_Type_commit(&real));
	OK(MPI_Type_commit(&whole));
	memset(v->mine, 0, LENGTH * sizeof(int));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 0; i < TURNS; i++) {
		MPI_Datatype r = i % 2 ? real : MPI_DOUBLE, w = i % 2 ? whole : MPI_INT;
		OK(MPI_Win_lock_all(0, v->w));
		OK(MPI_Accumulate(&d, 1, r, 0, 1, 1, r, MPI_SUM, v->w)); /* at half of its size */
		OK(MPI_Accumulate(&one, 1, w, 0, 4, 1, w, MPI_SUM, v->w));
		OK(MPI_Win_unlock_all(v->w));
		OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, v->w));
		OK(MPI_Accumulate(&d, 1, r, 0, 1, 1, r, MPI_SUM, v->w));
		OK(MPI_Win_unlock(0, v->w));
		OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, v->w));
		OK(MPI_Get(&got, 1, w, 0, 5, 1, w, v->w));
		OK(MPI_Win_flush(0, v->w));
		got++;
		OK(MPI_Put(&got, 1, w, 0, 5, 1, w, v->w));
		OK(MPI_Accumulate(&d, 1, r, 0, 1, 1, r, MPI_SUM, v->w));
		OK(MPI_Win_unlock(0, v->w));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, v->w));
	OK(MPI_Get(&sum, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, v->w));
	CHECK(sum == 3.0 * TURNS * size);
	OK(MPI_Get(&got, 1, MPI_INT, 0, 4, 1, MPI_INT, v->w));
	CHECK(got == TURNS * size);
	OK(MPI_Get(&got, 1, MPI_INT, 0, 5, 1, MPI_INT, v->w));
	CHECK(got == TURNS * size);
	OK(MPI_Win_unlock(0, v->w));
	OK(MPI_Type_free(&real));
	OK(MPI_Type_free(&whole));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void short_calls(window *v) {
	short_limits(v);
	both_ways(v);
}

/* many: more windows than C knows at a time, each with its own memory. Handles of freed windows are refused. */
static void many(void) {
	enum { WINDOWS = 260 };
	static MPI_Win all[WINDOWS];
	static int mine[WINDOWS];
	int next = (rank + 1) % size, got;
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	for (int i = 0; i < WINDOWS; i++)
		OK(MPI_Win_create(&mine[i], sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &all[i]));
	for (int i = 0; i < WINDOWS; i++) {
		int value = 1000 * rank + i;
		OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, all[i]));
		OK(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, all[i]));
		OK(MPI_Win_unlock(next, all[i]));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 0; i < WINDOWS; i++)
		CHECK(mine[i] == 1000 * ((rank + size - 1) % size) + i);
	for (int i = 0; i < WINDOWS; i++) {
		MPI_Win old = all[i];
		OK(MPI_Win_free(&all[i]));
		FAILS(MPI_ERR_WIN, MPI_Get(&got, 1, MPI_INT, next, 0, 1, MPI_INT, old));
	}
}
