/* Two ranks that can never go on because of a window, in the way that the argument says. The last rank computes. */
#include "program.h"
#include <unistd.h>

int main(int argc, char **argv) {
	const char *how = argv[1];
	int *mine, other, x = 0;
	MPI_Comm pair;
	MPI_Win w;
	MPI_Group all, to;
	CHECK(argc == 2);
	join(MPI_THREAD_SINGLE);
	OK(MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &pair));
	while (rank == 2)
		pause();
	other = 1 - rank;
	OK(MPI_Win_allocate(64, 4, MPI_INFO_NULL, pair, &mine, &w));
	OK(MPI_Win_set_name(w, "grid"));
	OK(MPI_Win_get_group(w, &all));
	OK(MPI_Group_incl(all, 1, &other, &to));
	if (strcmp(how, "locks") == 0)
		OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w));
	if (strcmp(how, "shared") == 0 && rank == 0)
		OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w));
	if (strcmp(how, "all") == 0 && rank == 0)
		OK(MPI_Win_lock_all(0, w));
	if (strcmp(how, "put") == 0 && rank == 0)
		OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w));
	OK(MPI_Barrier(pair));
	if (strcmp(how, "put") == 0 && rank == 1)
		OK(MPI_Win_lock_all(0, w));
	if (strcmp(how, "locks") == 0)
		OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, w));
	if (strcmp(how, "start") == 0)
		OK(MPI_Win_start(to, 0, w));
	if (strcmp(how, "wait") == 0) {
		OK(MPI_Win_post(to, 0, w));
		OK(MPI_Win_wait(w));
	}
	if (rank == 1) {
		if (strcmp(how, "shared") == 0 || strcmp(how, "all") == 0)
			OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w));
		if (strcmp(how, "put") == 0)
			OK(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, w));
		if (strcmp(how, "fence") == 0)
			OK(MPI_Win_fence(0, w));
		if (strcmp(how, "free") == 0)
			OK(MPI_Win_free(&w));
	}
	OK(MPI_Recv(&x, 1, MPI_INT, other, 9, pair, MPI_STATUS_IGNORE));
	return 1;
}
