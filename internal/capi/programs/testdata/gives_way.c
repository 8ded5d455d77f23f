/* A token goes round, and each rank polls for it in the way whose turn it is. With more ranks than CPUs a test that
 * finds nothing gives way: else it would be repeated until the CPU is taken away, some ten thousand times. */
#include "program.h"

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

int main(void) {
	const int rounds = 100;
	join(MPI_THREAD_SINGLE);
	int left = (rank + size - 1) % size, right = (rank + 1) % size;
	for (int way = 0; way < WAYS; way++) {
		long polls = 0;
		for (int i = 0; i < rounds; i++) {
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
		if (polls > 1000L * rounds) {
			printf("way %d: %ld polls a message\n", way, polls / rounds);
			return 1;
		}
	}
	OK(MPI_Finalize());
	return 0;
}
