/* Ranks connect to a port at which nobody accepts, or too late. Rank 0 has the port. */
#include "program.h"
#include <unistd.h>

/* why is the text of the last error. */
static char why[MPI_MAX_ERROR_STRING];

static int connect_within(const char *seconds, const char *port, MPI_Comm comm, MPI_Comm *inter) {
	MPI_Info info;
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "timeout", seconds));
	int class = MPI_SUCCESS, length, code = MPI_Comm_connect(port, info, 0, comm, inter);
	OK(MPI_Info_free(&info));
	OK(MPI_Error_class(code, &class));
	OK(MPI_Error_string(code, why, &length));
	return class;
}

/* refused connects where the root is wrong: by its hints, then since it has opened the port itself. */
static void refused(const char *port, MPI_Comm comm) {
	static const char *wrong[] = {"0", "-1", "soon", "nan", "1e99"};
	MPI_Comm all, inter;
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &all));
	OK(MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN));
	for (size_t i = 0; rank > 0 && i < sizeof wrong / sizeof wrong[0]; i++)
		if (rank == 1)
			CHECK(connect_within(wrong[i], port, comm, &inter) == MPI_ERR_INFO_VALUE);
		else {
			CHECK(connect_within("1", port, comm, &inter) == MPI_ERR_OTHER);
			CHECK(strstr(why, ": rank 0 has passed bad arguments: its own error says which") != NULL);
		}
	CHECK(connect_within("1", port, all, &inter) == MPI_ERR_PORT);
	CHECK(strstr(why, ": the port is not open: the rank that connects has opened it: ") != NULL);
	OK(MPI_Comm_free(&all));
}

/* meet exchanges a message between the first ranks of both sides. */
static void meet(MPI_Comm inter) {
	int me, out = rank, in = -1;
	OK(MPI_Comm_rank(inter, &me));
	if (me == 0) {
		OK(MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE));
		CHECK(in == (rank == 0));
	}
	OK(MPI_Comm_disconnect(&inter));
}

int main(int argc, char **argv) {
	enum { ROUNDS = 20 };
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm inter, others;
	join(MPI_THREAD_SINGLE);
	CHECK(argc == 2 && size > 1);
	OK(MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &others));
	OK(MPI_Comm_set_errhandler(others, MPI_ERRORS_RETURN));
	if (rank == 0)
		OK(MPI_Open_port(MPI_INFO_NULL, port));
	OK(MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD));
	if (strcmp(argv[1], "accepts alone") == 0) {
		if (rank == 0)
			OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
		OK(MPI_Barrier(MPI_COMM_WORLD));
	} else if (strcmp(argv[1], "in vain") == 0) {
		refused(port, others);
		if (rank > 0) /* all ranks wait, for longer than a deadlock must have lasted: rank 0 in the barrier */
			CHECK(connect_within("6", port, others, &inter) == MPI_ERR_PORT && inter == MPI_COMM_NULL);
		OK(MPI_Barrier(MPI_COMM_WORLD));
		if (rank == 0) /* the request that was given up is still there */
			OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, others, &inter));
		else
			OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, others, &inter));
		meet(inter);
	} else for (int i = 0; i < ROUNDS; i++) { /* gives up at any moment */
		if (rank == 0) {
			usleep(i * 300);
			OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, others, &inter));
		} else {
			int class;
			do CHECK((class = connect_within("0.002", port, others, &inter)) == MPI_SUCCESS || class == MPI_ERR_PORT);
			while (class != MPI_SUCCESS);
		}
		meet(inter);
	}
	if (rank == 0)
		OK(MPI_Close_port(port));
	OK(MPI_Comm_free(&others));
	OK(MPI_Finalize());
	return 0;
}
