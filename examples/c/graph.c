/* A broadcast of one's own: a chain of ranks passes a message on in pieces while all of them compute.
 *
 *     mpicc -O2 -o graph graph.c && pvasrun -n 4 ./graph
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIECE = 64 << 10, PIECES = 64 };

int main(int argc, char **argv)
{
    int rank, size, done = 0;
    double products = 0;
    MPI_Request request;
    MPIX_Graph chain;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *message = calloc(PIECES, PIECE);
    for (int i = 0; rank == 0 && i < PIECES * PIECE; i++)
        message[i] = i % 113;

    MPIX_Graph_new(MPI_COMM_WORLD, &chain);
    for (int i = 0; i < PIECES; i++) {
        char *piece = message + i * PIECE;
        int received = MPIX_GRAPH_START, sent;
        if (rank > 0)
            MPIX_Graph_recv(piece, PIECE, MPI_CHAR, rank - 1, chain, &received);
        if (rank < size - 1) {
            MPIX_Graph_send(piece, PIECE, MPI_CHAR, rank + 1, chain, &sent);
            MPIX_Graph_order(received, sent, chain); /* a piece goes on when it has come */
        }
    }
    MPIX_Graph_tie(chain);
    MPIX_Graph_issue(chain, &request);
    while (!done) {
        for (int i = 0; i < 1000; i++)
            products += i * 0.5;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    MPIX_Graph_free(&chain);

    int right = products > 0;
    for (int i = 0; i < PIECES * PIECE; i++)
        right &= message[i] == i % 113;
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks have %d bytes each: %s\n", size, PIECES * PIECE, right ? "right" : "wrong");
    free(message);
    MPI_Finalize();
    return !right;
}
