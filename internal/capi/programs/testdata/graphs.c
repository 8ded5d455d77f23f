/* Graphs of the program: each kind of node, layouts, prepared ones, mistakes. */
#include "program.h"

static int class_of(int code) {
	int class;
	OK(MPI_Error_class(code, &class));
	return class;
}

#define FAILS(class, call) CHECK(class_of(call) == (class))

static int calls;

static void count(void *extra) {
	CHECK(extra == &calls);
	calls++;
}

static void maximum(void *in, void *inout, int *n, MPI_Datatype *type) {
	for (int i = 0; i < *n; i++)
		if (((int *)in)[i] > ((int *)inout)[i])
			((int *)inout)[i] = ((int *)in)[i];
}

static int next, last;

/* around builds a graph: the sum, or the greatest, of each rank and the one before it goes to the one after it. */
static MPIX_Graph around(int *mine, int *theirs, int *result, MPI_Datatype row, MPI_Op op) {
	MPIX_Graph g;
	int sent, received, copied, reduced, called, nothing;
	OK(MPIX_Graph_new(MPI_COMM_WORLD, &g));
	OK(MPIX_Graph_send(mine, 1, row, next, g, &sent));
	OK(MPIX_Graph_recv(theirs, 5, MPI_INT, last, g, &received));
	OK(MPIX_Graph_copy(mine, result, 1, row, g, &copied));
	OK(MPIX_Graph_reduce(theirs, result, 1, MPI_INT, op, g, &reduced));
	OK(MPIX_Graph_call(count, &calls, g, &called));
	OK(MPIX_Graph_send(mine, 1, row, MPI_PROC_NULL, g, &nothing));
	OK(MPIX_Graph_order(copied, reduced, g));
	OK(MPIX_Graph_order(received, reduced, g));
	OK(MPIX_Graph_order(reduced, called, g));
	OK(MPIX_Graph_order(MPIX_GRAPH_START, nothing, g));
	OK(MPIX_Graph_order(nothing, MPIX_GRAPH_END, g));
	OK(MPIX_Graph_tie(g));
	return g;
}

static void right(int *theirs, int *result, int first, MPI_Op op) {
	for (int i = 0; i < 5; i++)
		CHECK(theirs[i] == 100 * last + 2 * i + first);
	int own = 100 * rank + first, other = 100 * last + first;
	CHECK(result[0] == (op == MPI_SUM ? own + other : own > other ? own : other));
	for (int i = 1; i < 9; i++)
		CHECK(result[i] == (i % 2 ? -1 : 100 * rank + i + first));
}

static void fill(int *mine, int *result, int first) {
	for (int i = 0; i < 9; i++) {
		mine[i] = 100 * rank + i + first;
		result[i] = -1;
	}
}

static void move(MPI_Op op) {
	int mine[9], theirs[5], result[9];
	MPI_Datatype row;
	MPI_Request r[2];
	OK(MPI_Type_vector(5, 1, 2, MPI_INT, &row));
	OK(MPI_Type_commit(&row));
	calls = 0;
	fill(mine, result, 0);
	MPIX_Graph g = around(mine, theirs, result, row, op);
	OK(MPIX_Graph_issue(g, r));
	OK(MPI_Wait(r, MPI_STATUS_IGNORE));
	CHECK(calls == 1);
	right(theirs, result, 0, op);
	OK(MPIX_Graph_free(&g));
	CHECK(g == (MPIX_Graph)0);

	/* Two prepared ones, which ranks start in different orders. */
	int other[9], there[5], outcome[9];
	MPIX_Graph a = around(mine, theirs, result, row, op), b = around(other, there, outcome, row, op);
	OK(MPIX_Graph_init(a, MPI_INFO_NULL, r));
	OK(MPIX_Graph_init(b, MPI_INFO_NULL, r + 1));
	OK(MPIX_Graph_free(&a));
	OK(MPIX_Graph_free(&b));
	for (int k = 1; k <= 3; k++) {
		fill(mine, result, k);
		fill(other, outcome, 10 * k);
		OK(MPI_Start(r + rank % 2));
		OK(MPI_Start(r + 1 - rank % 2));
		OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
		right(theirs, result, k, op);
		right(there, outcome, 10 * k, op);
		CHECK(calls == 1 + 2 * k);
	}
	OK(MPI_Request_free(r));
	OK(MPI_Request_free(r + 1));
	OK(MPI_Type_free(&row));
}

static void mistakes(void) {
	MPIX_Graph g, freed;
	MPI_Request r;
	MPI_Datatype gaps;
	int a, b, v[4];
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	FAILS(MPI_ERR_COMM, MPIX_Graph_new(MPI_COMM_NULL, &g));
	OK(MPIX_Graph_new(MPI_COMM_WORLD, &g));
	freed = g;
	OK(MPIX_Graph_free(&freed));
	FAILS(MPI_ERR_ARG, MPIX_Graph_free(&g));
	FAILS(MPI_ERR_ARG, MPIX_Graph_tie(g));
	FAILS(MPI_ERR_ARG, MPIX_Graph_tie((MPIX_Graph)0));
	FAILS(MPI_ERR_ARG, MPIX_Graph_issue((MPIX_Graph)MPI_COMM_WORLD, &r));

	OK(MPIX_Graph_new(MPI_COMM_WORLD, &g));
	FAILS(MPI_ERR_RANK, MPIX_Graph_send(v, 1, MPI_INT, size, g, &a));
	FAILS(MPI_ERR_RANK, MPIX_Graph_recv(v, 1, MPI_INT, MPI_ANY_SOURCE, g, &a));
	FAILS(MPI_ERR_COUNT, MPIX_Graph_send(v, -1, MPI_INT, 0, g, &a));
	FAILS(MPI_ERR_TYPE, MPIX_Graph_send(v, 1, MPI_DATATYPE_NULL, 0, g, &a));
	FAILS(MPI_ERR_OP, MPIX_Graph_reduce(v, v + 2, 1, MPI_INT, MPI_OP_NULL, g, &a));
	FAILS(MPI_ERR_OP, MPIX_Graph_reduce(v, v + 2, 1, MPI_FLOAT, MPI_BAND, g, &a));
	FAILS(MPI_ERR_ARG, MPIX_Graph_call(NULL, NULL, g, &a));
	FAILS(MPI_ERR_ARG, MPIX_Graph_order(0, 2, g));
	FAILS(MPI_ERR_ARG, MPIX_Graph_order(-1, 1, g));
	OK(MPI_Type_vector(2, 1, 2, MPI_INT, &gaps));
	OK(MPI_Type_commit(&gaps));
	MPI_Op op;
	OK(MPI_Op_create(maximum, 1, &op));
	FAILS(MPI_ERR_TYPE, MPIX_Graph_reduce(v, v, 1, gaps, op, g, &a));
	OK(MPI_Op_free(&op));
	OK(MPI_Type_free(&gaps));

	/* A cycle is found when the graph is issued, and then it gets no more nodes. */
	OK(MPIX_Graph_call(count, &calls, g, &a));
	OK(MPIX_Graph_call(count, &calls, g, &b));
	OK(MPIX_Graph_order(a, b, g));
	OK(MPIX_Graph_order(b, a, g));
	FAILS(MPI_ERR_ARG, MPIX_Graph_issue(g, &r));
	FAILS(MPI_ERR_ARG, MPIX_Graph_call(count, &calls, g, &a));
	FAILS(MPI_ERR_ARG, MPIX_Graph_tie(g));
	OK(MPIX_Graph_free(&g));
}

int main(void) {
	MPI_Op op;
	join(MPI_THREAD_SINGLE);
	next = (rank + 1) % size;
	last = (rank + size - 1) % size;
	OK(MPI_Op_create(maximum, 1, &op));
	move(MPI_SUM);
	move(op);
	OK(MPI_Op_free(&op));
	mistakes();
	ring();
	OK(MPI_Finalize());
	return 0;
}
