/* Under --check, accesses that conflict are told of by who comes last, and so are epochs that are none. */
#include "program.h"

static int *mine;
static MPI_Win w;

static void told(int code, int class, const char *cause) {
	char text[MPI_MAX_ERROR_STRING];
	int n, of;
	OK(MPI_Error_class(code, &of));
	OK(MPI_Error_string(code, text, &n));
	if (of != class || strstr(text, cause) == NULL) {
		fprintf(stderr, "class %d, not %d, or no \"%s\": %s\n", of, class, cause, text);
		exit(77);
	}
}

/* turn lets the other rank go on, or waits until it does. */
static void turn(int from) {
	int x = 0;
	if (rank == from)
		OK(MPI_Send(&x, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD));
	else
		OK(MPI_Recv(&x, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void fences(void) {
	int x[2] = {0};
	MPI_Datatype every;
	OK(MPI_Type_vector(2, 1, 2, MPI_INT, &every));
	OK(MPI_Type_commit(&every));
	OK(MPI_Win_fence(0, w));
	if (rank == 0) {
		OK(MPI_Put(x, 2, MPI_INT, 1, 4, 2, MPI_INT, w));
		OK(MPI_Get(x, 1, MPI_INT, 1, 10, 1, MPI_INT, w));
		OK(MPI_Accumulate(x, 1, MPI_INT, 1, 12, 1, MPI_INT, MPI_SUM, w));
		OK(MPI_Put(x, 2, MPI_INT, 1, 20, 1, every, w));
	}
	turn(0);
	if (rank == 1) {
		told(MPI_Put(x, 2, MPI_INT, 1, 5, 2, MPI_INT, w), MPI_ERR_RMA_CONFLICT,
		     "rank 0 has accessed bytes 20 to 23 by MPI_Put in an epoch of MPI_Win_fence that is this one, number 1");
		told(MPI_Get(x, 1, MPI_INT, 1, 4, 1, MPI_INT, w), MPI_ERR_RMA_CONFLICT, "bytes 16 to 19 by MPI_Put");
		told(MPI_Accumulate(x, 1, MPI_INT, 1, 10, 1, MPI_INT, MPI_SUM, w), MPI_ERR_RMA_CONFLICT, "by MPI_Get");
		told(MPI_Put(x, 1, MPI_INT, 1, 22, 1, MPI_INT, w), MPI_ERR_RMA_CONFLICT, "bytes 88 to 91");
		told(MPI_Fetch_and_op(NULL, x, MPI_INT, 1, 4, MPI_NO_OP, w), MPI_ERR_RMA_CONFLICT, "by MPI_Put");
		OK(MPI_Get(x, 1, MPI_INT, 1, 10, 1, MPI_INT, w));
		OK(MPI_Fetch_and_op(NULL, x, MPI_INT, 1, 10, MPI_NO_OP, w)); /* both read */
		OK(MPI_Fetch_and_op(x, x + 1, MPI_INT, 1, 12, MPI_SUM, w));
		OK(MPI_Put(x, 2, MPI_INT, 1, 21, 1, every, w));
	}
	OK(MPI_Win_fence(0, w));
	if (rank == 1)
		OK(MPI_Put(x, 2, MPI_INT, 1, 5, 2, MPI_INT, w));
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w));
	OK(MPI_Type_free(&every));
}

static void locks(void) {
	int x = 0;
	MPI_Request r;
	OK(MPI_Win_lock_all(0, w));
	if (rank == 0) {
		OK(MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, w));
		told(MPI_Get(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, w), MPI_ERR_RMA_CONFLICT, "rank 0 has accessed bytes 0 to 3");
		OK(MPI_Rput(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, w, &r)); /* which orders nothing */
		OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	}
	turn(0);
	if (rank == 1)
		told(MPI_Get(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, w), MPI_ERR_RMA_CONFLICT,
		     "in an epoch of MPI_Win_lock_all without MPI_Win_flush since then");
	turn(1);
	if (rank == 0) {
		OK(MPI_Win_flush(1, w));
		OK(MPI_Rput(&x, 1, MPI_INT, 1, 1, 1, MPI_INT, w, &r));
		OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	}
	turn(0);
	if (rank == 1)
		OK(MPI_Get(&x, 1, MPI_INT, 1, 0, 2 - 1, MPI_INT, w));
	if (rank == 1)
		OK(MPI_Put(&x, 1, MPI_INT, 1, 1, 1, MPI_INT, w));
	OK(MPI_Win_unlock_all(w));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w));
	if (rank == 0)
		OK(MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, w));
	OK(MPI_Win_unlock(1, w));
}

static void groups(void) {
	int x = 0, target = 0;
	MPI_Group all, to;
	OK(MPI_Win_get_group(w, &all));
	OK(MPI_Group_incl(all, 1, &target, &to));
	for (int i = 0; i < 2; i++) {
		if (rank == 0)
			OK(MPI_Win_post(all, 0, w));
		OK(MPI_Win_start(to, 0, w));
		if (rank == 0) {
			OK(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, w));
			OK(MPI_Win_complete(w));
		}
		turn(0);
		if (rank == 1) {
			told(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, w), MPI_ERR_RMA_CONFLICT,
			     "in an epoch of MPI_Win_start that the target has not ended");
			OK(MPI_Win_complete(w));
		}
		if (rank == 0)
			OK(MPI_Win_wait(w));
	}
	OK(MPI_Group_free(&all));
	OK(MPI_Group_free(&to));
}

static void epochs(void) {
	int x = 0;
	OK(MPI_Win_fence(0, w));
	OK(MPI_Put(&x, 1, MPI_INT, rank, 0, 1, MPI_INT, w));
	told(MPI_Win_fence(MPI_MODE_NOPRECEDE, w), MPI_ERR_RMA_SYNC, "MPI_Win_fence with MPI_MODE_NOPRECEDE ends an epoch");
	OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w));
	OK(MPI_Win_unlock(rank, w));
	OK(MPI_Win_fence(0, w)); /* which warns */
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w));
	OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w));
	OK(MPI_Win_unlock(rank, w));
	OK(MPI_Win_fence(0, w));
}

static void unlocked(void) {
	MPI_Info info;
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "no_locks", "true"));
	OK(MPI_Win_set_info(w, info));
	told(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w), MPI_ERR_RMA_SYNC,
	     "MPI_Win_lock on a window with the hint no_locks");
	told(MPI_Win_lock_all(0, w), MPI_ERR_RMA_SYNC, "MPI_Win_lock_all on a window with the hint no_locks");
	OK(MPI_Info_free(&info));
}

int main(void) {
	join(MPI_THREAD_SINGLE);
	OK(MPI_Win_allocate(400, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &w));
	OK(MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN));
	fences();
	locks();
	OK(MPI_Barrier(MPI_COMM_WORLD));
	groups();
	OK(MPI_Barrier(MPI_COMM_WORLD));
	epochs();
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w));
	unlocked();
	OK(MPI_Win_free(&w));
	OK(MPI_Finalize());
	return 0;
}
