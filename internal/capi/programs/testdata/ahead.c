/* Short standard sends return before any of them is received. All ranks send 20,000 of 4 bytes and 2,000 of 1,000 bytes
 * to rank 0, which first receives the last one. In all forms, and to a rank itself. Data and order are right. */
#include "program.h"

enum { FORMS = 4 };

static void fill(char *b, int bytes, int i) {
	memset(b, i, bytes);
	memcpy(b, &i, sizeof i);
}

/* send begins message i in a form, and returns its request. Those of a persistent one are the same each time. */
static MPI_Request send(int form, char *b, int bytes, int to, int tag, MPI_Request persistent) {
	MPI_Request r = MPI_REQUEST_NULL;
	switch (form) {
	case 0: OK(MPI_Send(b, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD)); break;
	case 1: OK(MPI_Isend(b, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &r)); break;
	case 2: OK(MPI_Send_c(b, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD)); break;
	case 3:
		r = persistent;
		OK(MPI_Start(&r));
	}
	return r;
}

static void flood(int form, int n, int bytes, int to) {
	char *b = malloc(bytes);
	int i, one = 1;
	MPI_Request persistent = MPI_REQUEST_NULL, r;
	OK(MPI_Send_init(b, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD, &persistent));
	for (i = 0; i < n; i++) {
		fill(b, bytes, i);
		r = send(form, b, bytes, to, 0, persistent);
		OK(MPI_Wait(&r, MPI_STATUS_IGNORE)); /* the buffer is used again */
	}
	OK(MPI_Send(&one, 1, MPI_INT, to, 1, MPI_COMM_WORLD));
	OK(MPI_Request_free(&persistent));
	free(b);
}

static void drain(int n, int bytes, int from) {
	char *b = malloc(bytes), *want = malloc(bytes);
	int i, one = 0;
	OK(MPI_Recv(&one, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	CHECK(one == 1);
	for (i = 0; i < n; i++) {
		fill(want, bytes, i);
		OK(MPI_Recv(b, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		CHECK(memcmp(b, want, bytes) == 0);
	}
	free(b), free(want);
}

/* beyond sends more than may run ahead, and says after how many it waits for good. */
static void beyond(int bytes) {
	char *b = calloc(bytes, 1);
	int i, one;
	for (i = 0; rank == 0; i++) {
		fprintf(stderr, "%d sent\n", i);
		OK(MPI_Send(b, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD));
	}
	OK(MPI_Recv(&one, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv) {
	int form, r, k, n[2] = {20000, 2000}, bytes[2] = {4, 1000};
	join(MPI_THREAD_SINGLE);
	if (argc > 1)
		beyond(atoi(argv[1]));
	for (form = 0; form < FORMS; form++)
		for (k = 0; k < 2; k++) {
			if (rank > 0)
				flood(form, n[k], bytes[k], 0);
			else
				for (r = size - 1; r > 0; r--)
					drain(n[k], bytes[k], r);
			flood(form, n[k], bytes[k], rank);
			drain(n[k], bytes[k], rank);
			OK(MPI_Barrier(MPI_COMM_WORLD)); /* no rank runs further ahead than it may */
		}
	if (rank > 0) /* nobody receives them: MPI_Finalize waits for no receiver */
		for (k = 0; k < 1000; k++)
			OK(MPI_Send(&k, 1, MPI_INT, 0, 2, MPI_COMM_WORLD));
	OK(MPI_Finalize());
	return 0;
}
