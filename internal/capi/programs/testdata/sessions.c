/* Sessions that go wrong, as the argument says. */
#include "program.h"

static MPI_Session begin(const char *level) {
	MPI_Info info;
	MPI_Session s;
	OK(MPI_Info_create(&info));
	if (level)
		OK(MPI_Info_set(info, "thread_level", level));
	OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &s));
	OK(MPI_Info_free(&info));
	return s;
}

static MPI_Group world(MPI_Session s) {
	MPI_Group g;
	OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &g));
	OK(MPI_Group_rank(g, &rank));
	OK(MPI_Group_size(g, &size));
	return g;
}

static MPI_Comm from(MPI_Group g, const char *tag) {
	MPI_Comm comm;
	OK(MPI_Comm_create_from_group(g, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
	return comm;
}

/* Each receives from the next. */
static void cycle(MPI_Comm comm) {
	int in;
	MPI_Recv(&in, 1, MPI_INT, (rank + 1) % size, 0, comm, MPI_STATUS_IGNORE);
}

static MPI_Group reversed(MPI_Group g) {
	MPI_Group r;
	int range[1][3] = {{size - 1, 0, -1}};
	OK(MPI_Group_range_incl(g, 1, range, &r));
	return r;
}

/* Of two sessions the one that has made a window and communicators, and frees some, is finalized. */
static void left(void) {
	MPI_Session first = begin(NULL), second = begin(NULL);
	MPI_Comm kept = from(world(first), "kept"), freed = from(world(first), "freed");
	MPI_Comm copy, other = from(world(second), "other");
	MPI_Win win;
	void *memory;
	OK(MPI_Comm_dup(kept, &copy));
	OK(MPI_Comm_set_name(copy, "copy"));
	OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, copy, &memory, &win));
	OK(MPI_Comm_free(&freed));
	OK(MPI_Barrier(other));
	OK(MPI_Session_finalize(&first));
	fprintf(stderr, "first is over\n");
	OK(MPI_Comm_free(&other));
	OK(MPI_Session_finalize(&second));
}

int main(int argc, char **argv) {
	CHECK(argc == 2);
	const char *how = argv[1];
	if (strcmp(how, "left") == 0) {
		left();
		return 0;
	}
	if (strcmp(how, "cycle beside MPI_Init") == 0)
		OK(MPI_Init(NULL, NULL));
	MPI_Session s = begin(strcmp(how, "cycle") == 0 ? NULL : "MPI_THREAD_SINGLE");
	MPI_Group g = world(s);
	if (strcmp(how, "tags") == 0)
		from(g, rank == 0 ? "red" : "green");
	else if (strcmp(how, "groups") == 0)
		from(rank == 0 ? g : reversed(g), "red");
	else
		cycle(from(g, "cycle"));
	return 0;
}
