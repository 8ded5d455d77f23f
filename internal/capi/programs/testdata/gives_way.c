/* A token goes round, and each rank polls for it in the way whose turn it is: for a message, or a word of a window.
 * With more ranks than CPUs a poll that finds nothing gives way, now and then at least: else it would be repeated until
 * the CPU is taken away, some hundred thousand times. */
#include "program.h"

enum { ROUNDS = 20 };
enum { TEST, TESTALL, TESTANY, TESTSOME, STATUS, IPROBE, IMPROBE, WAYS };

static int arrived(int way, MPI_Request *q, int left) {
	int flag = 0, index, some;
	MPI_Message message;
	switch (way) {
	case TEST: OK(MPI_Test(q, &flag, MPI_STATUS_IGNORE)); break;
	case TESTALL: OK(MPI_Testall(1, q, &flag, MPI_STATUSES_IGNORE)); break;
	case TESTANY: OK(MPI_Testany(1, q, &index, &flag, MPI_STATUS_IGNORE)); break;
	case TESTSOME: OK(MPI_Testsome(1, q, &some, &index, MPI_STATUSES_IGNORE)); return some == 1;
	case STATUS: OK(MPI_Request_get_status(*q, &flag, MPI_STATUS_IGNORE)); break;
	case IPROBE: OK(MPI_Iprobe(left, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE)); break;
	case IMPROBE:
		OK(MPI_Improbe(left, 0, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
		if (flag)
			OK(MPI_Mrecv(NULL, 0, MPI_BYTE, &message, MPI_STATUS_IGNORE));
	}
	return flag;
}

enum { FETCH, GET, RGET, SWAP, READS };

/* is_turn tells whether the word of rank 0 says so. A swap also gives the turn to the next rank. */
static int is_turn(int way, int turn, MPI_Win w) {
	int got = -1, next = turn + 1;
	MPI_Request q;
	switch (way) {
	case FETCH: OK(MPI_Fetch_and_op(NULL, &got, MPI_INT, 0, 0, MPI_NO_OP, w)); break;
	case GET: OK(MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, w)); break;
	case RGET:
		OK(MPI_Rget(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, w, &q));
		OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
		break;
	case SWAP: OK(MPI_Compare_and_swap(&next, &turn, &got, MPI_INT, 0, 0, w));
	}
	OK(MPI_Win_flush(0, w));
	return got == turn;
}

/* few has trips of the token made until all ranks have polled seldom in one. A rank does not give way for a while where
 * others than ranks have the CPUs, so not each trip tells. */
static void few(const char *what, int way, long (*trips)(int way), long limit) {
	for (int i = 0; i < 50; i++) {
		long most, polls = trips(way);
		OK(MPI_Allreduce(&polls, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD));
		if (most <= limit * ROUNDS)
			return;
	}
	fprintf(stderr, "%s %d: more than %ld polls for each\n", what, way, limit);
	exit(1);
}

static long messages(int way) {
	int left = (rank + size - 1) % size, right = (rank + 1) % size;
	long polls = 0;
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Request q = MPI_REQUEST_NULL;
		if (rank == 0)
			OK(MPI_Send(NULL, 0, MPI_BYTE, right, 0, MPI_COMM_WORLD));
		if (way < IPROBE)
			OK(MPI_Irecv(NULL, 0, MPI_BYTE, left, 0, MPI_COMM_WORLD, &q));
		while (!arrived(way, &q, left))
			polls++;
		if (way == STATUS)
			OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
		if (way == IPROBE)
			OK(MPI_Recv(NULL, 0, MPI_BYTE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		if (rank != 0)
			OK(MPI_Send(NULL, 0, MPI_BYTE, right, 0, MPI_COMM_WORLD));
	}
	return polls;
}

static MPI_Win window;
static int turn;

static long reads(int way) {
	const int one = 1;
	long polls = 0;
	for (int i = 0; i < ROUNDS; i++, turn += size) {
		while (!is_turn(way, turn, window))
			polls++;
		if (way != SWAP)
			OK(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window));
		OK(MPI_Win_flush(0, window));
	}
	return polls;
}

int main(void) {
	int *word;
	join(MPI_THREAD_SINGLE);
	for (int way = 0; way < WAYS; way++)
		few("message", way, messages, 1000);
	OK(MPI_Win_allocate(sizeof *word, sizeof *word, MPI_INFO_NULL, MPI_COMM_WORLD, &word, &window));
	*word = 0;
	turn = rank;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock_all(0, window));
	for (int way = 0; way < READS; way++)
		few("read", way, reads, 20000); /* each 64th yields */
	OK(MPI_Win_unlock_all(window));
	OK(MPI_Win_free(&window));
	OK(MPI_Finalize());
	return 0;
}
