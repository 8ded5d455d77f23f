/* A dense matrix becomes a lower and an upper triangle, without pivoting. Its columns are dealt out to the ranks in
 * blocks. Each block is a panel that all ranks need: while one is broadcast, the ranks still work with the one before
 * (look-ahead, as HPL has it). With --wait each panel is waited for at once.
 *
 *     mpicc -O2 -o lu lu.c && pvasrun -n 4 ./lu 1000 && pvasrun -n 4 ./lu 1000 --wait
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { W = 16 }; /* columns of a block */

static int n, rank, size;
static double *columns; /* this rank's, each of n rows */
static double *panels[2];

static double element(int i, int j)
{
    unsigned x = i * 2654435761u + j * 40503u + 1;
    x = (x ^ x >> 15) * 2246822519u;
    return (x >> 8) / 8388608.0 - 1 + (i == j ? 2 * n : 0);
}

static int owner(int block) { return block % size; }
static double *column(int block, int j) { return columns + ((size_t)(block / size) * W + j) * n; }

/* update subtracts from a block what the panel of step k makes of it. */
static void update(int k, int block, const double *panel)
{
    int from = k * W, rows = n - from;
    for (int j = 0; j < W; j++) {
        double *c = column(block, j) + from;
        for (int t = 0; t < W; t++)
            for (int i = t + 1; i < rows; i++)
                c[i] -= panel[(size_t)t * rows + i] * c[t];
    }
}

/* factor makes the panel of a block. */
static void factor(int block, double *panel)
{
    int from = block * W, rows = n - from;
    for (int j = 0; j < W; j++) {
        double *c = column(block, j) + from;
        for (int t = 0; t < j; t++)
            for (int i = t + 1; i < rows; i++)
                c[i] -= panel[(size_t)t * rows + i] * c[t];
        for (int i = j + 1; i < rows; i++)
            c[i] /= c[j];
        memcpy(panel + (size_t)j * rows, c, rows * sizeof *c);
    }
}

static void decompose(int wait)
{
    int blocks = n / W, done;
    MPI_Request request = MPI_REQUEST_NULL;
    for (int k = -1; k < blocks; k++) { /* the step before the first one only makes the first panel */
        const double *panel = panels[k & 1];
        int next = k + 1;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (next < blocks) {
            if (owner(next) == rank) {
                if (k >= 0)
                    update(k, next, panel);
                factor(next, panels[next & 1]);
            }
            MPI_Ibcast(panels[next & 1], (n - next * W) * W, MPI_DOUBLE, owner(next), MPI_COMM_WORLD, &request);
            if (wait)
                MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        for (int block = next + 1; k >= 0 && block < blocks; block++)
            if (owner(block) == rank) {
                update(k, block, panel);
                MPI_Test(&request, &done, MPI_STATUS_IGNORE); /* where the library needs a call to go on */
            }
    }
}

/* product adds up a matrix times v: the given one (part 0), or what is left of it: its upper triangle (1) or its lower
 * one with ones on the diagonal (-1). */
static void product(int part, const double *v, double *result)
{
    memset(result, 0, n * sizeof *result);
    for (int j = 0; j < n; j++) {
        if (owner(j / W) != rank)
            continue;
        const double *c = column(j / W, j % W);
        for (int i = 0; i < n; i++)
            result[i] += v[j] * (part == 0 ? element(i, j) : part > 0 ? (i <= j ? c[i] : 0) : i > j ? c[i] : i == j);
    }
    MPI_Allreduce(MPI_IN_PLACE, result, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    n = (argc > 1 ? atoi(argv[1]) : 512) / W * W;
    if (n < W) {
        if (rank == 0)
            fprintf(stderr, "lu: give at least %d rows: lu ROWS [--wait]\n", W);
        MPI_Finalize();
        return 2;
    }
    int mine = (n / W + size - 1 - rank) / size * W;
    columns = malloc(((size_t)mine * n + 1) * sizeof *columns);
    panels[0] = malloc((size_t)n * W * sizeof *columns);
    panels[1] = malloc((size_t)n * W * sizeof *columns);
    for (int j = 0; j < n; j++)
        for (int i = 0; owner(j / W) == rank && i < n; i++)
            column(j / W, j % W)[i] = element(i, j);

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    decompose(argc > 2 && strcmp(argv[2], "--wait") == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    double took = MPI_Wtime() - start;

    double *v = malloc(4 * n * sizeof *v), *av = v + n, *uv = av + n, *luv = uv + n, off = 0, most = 0;
    for (int i = 0; i < n; i++)
        v[i] = element(i, i + 1);
    product(0, v, av);
    product(1, v, uv);
    product(-1, uv, luv);
    for (int i = 0; i < n; i++) {
        double d = av[i] - luv[i], a = av[i] < 0 ? -av[i] : av[i];
        off = d > off ? d : -d > off ? -d : off;
        most = a > most ? a : most;
    }
    int right = off < 1e-10 * most;
    if (rank == 0)
        printf("lu: %d rows by %d ranks: %s; %.0f Mflop/s\n", n, size, right ? "right" : "wrong",
            2.0 / 3 * n * n * n / took / 1e6);
    free(v);
    free(panels[0]);
    free(panels[1]);
    free(columns);
    MPI_Finalize();
    return !right;
}
