/* OpenMP computes. The first thread calls MPI, or with an argument all do, each by a communicator of its own. */
#include "program.h"
#include <omp.h>

enum { THREADS = 2 }; /* of each rank: by OMP_NUM_THREADS, or --cpus-per-rank, which sets it */

/* The sum of 1 to 10000 by the threads of this rank, which allocate meanwhile. */
static double loop(void) {
	double sum = 0;
	#pragma omp parallel for reduction(+ : sum)
	for (int i = 1; i <= 10000; i++) {
		char *p = malloc(100 + i % 50);
		p[0] = 1;
		sum += p[0] * i;
		free(p);
	}
	return sum;
}

static void add(double sum, MPI_Comm comm) {
	double all = 0;
	OK(MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, comm));
	CHECK(all == size * sum);
}

static void funneled(void) {
	add(loop(), MPI_COMM_WORLD);
	#pragma omp parallel
	{
		#pragma omp master
		ring();
		#pragma omp barrier
	}
}

static void multiple(MPI_Comm *own) {
	double sum = loop();
	#pragma omp parallel
	add(sum + omp_get_thread_num(), own[omp_get_thread_num()]);
}

int main(int argc, char **argv) {
	MPI_Comm own[THREADS];
	join(argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED);
	CHECK(omp_get_max_threads() == THREADS);
	for (int i = 0; i < THREADS; i++)
		OK(MPI_Comm_dup(MPI_COMM_WORLD, &own[i]));
	for (int round = 0; round < 20; round++) {
		CHECK(loop() == 50005000);
		if (argc > 1)
			multiple(own);
		else
			funneled();
	}
	for (int i = 0; i < THREADS; i++)
		OK(MPI_Comm_free(&own[i]));
	OK(MPI_Finalize());
	return 0;
}
