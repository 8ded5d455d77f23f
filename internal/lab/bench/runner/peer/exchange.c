/* The exchange benchmark of pvasrun for an installed MPI: the same messages and the same loop as
 * exchange_rank.go, the same output.
 *
 *   exchange NEIGHBORS|halo BYTES,... SECONDS
 *
 * prints "bytes repetitions median minimum maximum": microseconds for an exchange, of the slowest
 * rank. */
#include "common.h"

#define MOST_TIMES 100000
#define WARM 4

static int neighbors, *counts, *offsets;
static char *out, *in;
static MPI_Comm graph;

static void step(int i)
{
	(void)i;
	MPI_Neighbor_alltoallv(out, counts, offsets, MPI_BYTE, in, counts, offsets, MPI_BYTE, graph);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* length is that of message i: of six faces, twelve edges and eight corners of a cube, or n. */
static int length(int halo, int i, int n)
{
	int edge = 1;
	if (!halo || i < 6)
		return n;
	while (edge * edge < n)
		edge++;
	return i < 18 ? edge : 1;
}

static void make_graph(void)
{
	int *to = malloc(neighbors * sizeof(int)), *from = malloc(neighbors * sizeof(int));
	for (int i = 0; i < neighbors; i++) {
		int distance = 1 + i % (size - 1);
		to[i] = (rank + distance) % size;
		from[i] = (rank - distance + size) % size;
	}
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, neighbors, from, MPI_UNWEIGHTED, neighbors, to,
				       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
	free(to);
	free(from);
}

static void measure(int n, double limit)
{
	double *times = malloc(MOST_TIMES * sizeof(double)), begin = MPI_Wtime();
	int done = 0, more = 1;
	for (int i = 0; more; i++) {
		double t, slowest;
		MPI_Barrier(MPI_COMM_WORLD);
		t = MPI_Wtime();
		step(i);
		t = (MPI_Wtime() - t) * 1e6;
		MPI_Allreduce(&t, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
		if (i >= WARM)
			times[done++] = slowest;
		if ((MPI_Wtime() - begin > limit && done >= 3) || done == MOST_TIMES)
			more = 0;
		MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	qsort(times, done, sizeof(double), compare);
	if (rank == 0) {
		printf("%d %d %.4f %.4f %.4f\n", n, done, times[done / 2], times[0], times[done - 1]);
		fflush(stdout);
	}
	free(times);
}

int main(int argc, char **argv)
{
	start(&argc, &argv, 3);
	int halo = !strcmp(argv[1], "halo");
	neighbors = halo ? 26 : atoi(argv[1]);
	if (neighbors < 1 || size < 2)
		MPI_Abort(MPI_COMM_WORLD, 2);
	counts = malloc(neighbors * sizeof(int));
	offsets = malloc(neighbors * sizeof(int));
	make_graph();
	for (char *item = strtok(argv[2], ","); item; item = strtok(NULL, ",")) {
		int n = atoi(item), all = 0;
		for (int i = 0; i < neighbors; i++) {
			counts[i] = length(halo, i, n);
			offsets[i] = all;
			all += counts[i];
		}
		out = malloc(all + 1);
		in = malloc(all + 1);
		memset(out, 1, all);
		memset(in, 0, all);
		measure(n, atof(argv[3]));
		free(out);
		free(in);
	}
	MPI_Finalize();
	return 0;
}
