/* OpenMP computes, the first thread calls MPI. */
#include "program.h"
#include <omp.h>

int main(void) {
	join(MPI_THREAD_FUNNELED);
	for (int round = 0; round < 20; round++) {
		double sum = 0;
		#pragma omp parallel for reduction(+ : sum) num_threads(3)
		for (int i = 1; i <= 10000; i++) {
			char *p = malloc(100 + i % 50);
			p[0] = 1;
			sum += p[0] * i;
			free(p);
		}
		CHECK(sum == 50005000);
		#pragma omp parallel num_threads(3)
		{
			#pragma omp master
			ring();
			#pragma omp barrier
		}
	}
	OK(MPI_Finalize());
	return 0;
}
