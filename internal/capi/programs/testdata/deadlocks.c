/* Ranks that can never go on: the first argument is the number of the case. */
#include <mpi.h>
#include <stdlib.h>
int main(int c, char **v) {
	int rank, size, x = 0; MPI_Init(&c, &v);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size);
	int next = (rank + 1) % size, n = atoi(v[1]); MPI_Request r[2]; int i; char *big = calloc(1, 1 << 20);
	MPI_Comm half, inter;
	switch (n) {
	case 0: MPI_Recv(&x, 1, MPI_INT, next, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
	case 1: MPI_Send(big, 1 << 20, MPI_CHAR, next, 9, MPI_COMM_WORLD); break;
	case 2: MPI_Ssend(&x, 1, MPI_INT, next, 9, MPI_COMM_WORLD); break;
	case 3: MPI_Irecv(&x, 1, MPI_INT, next, 9, MPI_COMM_WORLD, r);
		MPI_Irecv(&x, 1, MPI_INT, next, 8, MPI_COMM_WORLD, r + 1); MPI_Waitall(2, r, MPI_STATUSES_IGNORE); break;
	case 4: MPI_Irecv(&x, 1, MPI_INT, next, 9, MPI_COMM_WORLD, r);
		MPI_Irecv(&x, 1, MPI_INT, next, 8, MPI_COMM_WORLD, r + 1); MPI_Waitany(2, r, &i, MPI_STATUS_IGNORE); break;
	case 5: if (rank) MPI_Barrier(MPI_COMM_WORLD);
		else MPI_Recv(&x, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
	case 6: case 7: case 8: case 9:
		MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
		MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &inter);
		if (n == 6) MPI_Recv(&x, 1, MPI_INT, 0, 9, inter, MPI_STATUS_IGNORE);
		if (n == 7) { if (rank) MPI_Barrier(inter); else MPI_Recv(&x, 1, MPI_INT, 0, 9, inter, MPI_STATUS_IGNORE); }
		if (n == 8) { if (rank % 2) { MPI_Barrier(inter); MPI_Barrier(half); } else {
			MPI_Barrier(half); MPI_Recv(&x, 1, MPI_INT, 0, 9, inter, MPI_STATUS_IGNORE); } }
		if (n == 9) { MPI_Ibarrier(inter, r); if (rank == 0) MPI_Recv(&x, 1, MPI_INT, 0, 9, inter, MPI_STATUS_IGNORE);
			MPI_Wait(r, MPI_STATUS_IGNORE); MPI_Barrier(inter); }
		break;
	case 10: MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
	case 11: if (!rank) MPI_Recv(&x, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
	case 12: if (rank) MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		else MPI_Recv(&x, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
	}
	MPI_Finalize(); return 0;
}
