// Calls whose places the test looks for by line.
#include <mpi.h>
#include <stddef.h>

static char byte;

__attribute__((noinline)) static void ping(void)
{
    MPI_Send(&byte, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD); // line 9
}

__attribute__((noinline)) static void pong(void)
{
    MPI_Recv(&byte, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // line 14
}

int main(int argc, char **argv)
{
    int rank, provided, level = argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;

    MPI_Init_thread(NULL, NULL, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        if (rank == 0)
            ping();
        else
            pong();
        MPI_Barrier(MPI_COMM_WORLD); // line 28
    }
    MPI_Finalize();
    return 0;
}
