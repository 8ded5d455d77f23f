/* The last rank dies. The others learn of it by error classes, acknowledge it, and go on. Run with --survive. */
#include "program.h"
#include <mpi-ext.h>
#include <signal.h>

static int class_of(int code) {
	int class = -1;
	OK(MPI_Error_class(code, &class));
	return class;
}

#define FAILS(call) CHECK(class_of(call) == MPI_ERR_PROC_FAILED)
#define PENDS(call) CHECK(class_of(call) == MPI_ERR_PROC_FAILED_PENDING)

static int handled;

static void handler(MPI_Comm *comm, int *code, ...) {
	(void)comm;
	if (class_of(*code) == MPIX_ERR_PROC_FAILED) handled++;
}

/* group_is checks that a group is that of one rank of MPI_COMM_WORLD; -1: that it is empty. */
static void group_is(MPI_Group group, int member) {
	MPI_Group all;
	int n = -1, first = 0, there = -1;
	OK(MPI_Group_size(group, &n));
	CHECK(n == (member >= 0));
	if (n == 0) return;
	OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
	OK(MPI_Group_translate_ranks(group, 1, &first, all, &there));
	CHECK(there == member);
	OK(MPI_Group_free(&all));
}

/* agree_and_shrink works on a communicator that was revoked, and on the world, whose dead were acknowledged. */
static void agree_and_shrink(MPI_Comm revoked) {
	int flag = ~(1 << rank), more = -1, n = -1, sum = 1;
	MPI_Comm less = MPI_COMM_NULL;
	MPI_Request requests[2];
	OK(MPIX_Comm_agree(revoked, &flag));
	CHECK(flag == ~((1 << (size - 1)) - 1));
	OK(MPIX_Comm_iagree(MPI_COMM_WORLD, &more, &requests[0]));
	OK(PMPIX_Comm_ishrink(MPI_COMM_WORLD, &less, &requests[1]));
	OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
	CHECK(more == -1);
	OK(MPI_Comm_size(less, &n));
	CHECK(n == size - 1);
	OK(MPI_Comm_free(&less));
	OK(MPIX_Comm_shrink(revoked, &less));
	OK(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, less));
	CHECK(sum == size - 1);
	OK(MPI_Comm_free(&less));
}

/* handled_here: the job says that it handles failures, and which errors come of them. */
static void handled_here(void) {
	int *value = NULL, flag = 0;
	char text[8] = "";
	MPI_Info info;
	OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &value, &flag));
	CHECK(flag && *value == 1);
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "mpi_error_range", "universe"));
	OK(MPI_Comm_set_info(MPI_COMM_WORLD, info));
	OK(MPI_Info_free(&info));
	OK(MPI_Comm_get_info(MPI_COMM_WORLD, &info));
	OK(MPI_Info_get(info, "mpi_error_range", sizeof text - 1, text, &flag));
	CHECK(flag && strcmp(text, "local") == 0);
	OK(MPI_Info_get(info, "mpi_error_uniform", sizeof text - 1, text, &flag));
	CHECK(flag && strcmp(text, "local") == 0);
	OK(MPI_Info_free(&info));
}

int main(void) {
	static char buffer[1 << 20];
	int in = -1, out, flag = -1, n = -1, index = -1, count = -1, indices[2], dead, next, last;
	MPI_Group failed, all, alive;
	MPI_Comm comm;
	MPI_Request requests[2];
	MPI_Status statuses[2], status;
	MPI_Errhandler counts;
	join(MPI_THREAD_SINGLE);
	handled_here();
	dead = size - 1, next = (rank + 1) % dead, last = (rank + dead - 1) % dead;
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (rank == dead) raise(SIGKILL);

	FAILS(MPI_Recv(&in, 1, MPI_INT, dead, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	FAILS(MPI_Send(&in, 1, MPI_INT, dead, 1, MPI_COMM_WORLD));
	FAILS(MPI_Send(buffer, sizeof buffer, MPI_CHAR, dead, 1, MPI_COMM_WORLD));
	OK(MPI_Isend(&in, 1, MPI_INT, dead, 1, MPI_COMM_WORLD, &requests[0])); /* the request has the error */
	OK(MPI_Irecv(&out, 1, MPI_INT, dead, 1, MPI_COMM_WORLD, &requests[1]));
	FAILS(MPI_Wait(&requests[0], &status));
	FAILS(MPI_Wait(&requests[1], &status));
	OK(MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]));
	FAILS(MPI_Wait(&requests[0], &status));
	FAILS(MPI_Probe(dead, 1, MPI_COMM_WORLD, &status));
	OK(MPI_Comm_create_errhandler(handler, &counts));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, counts));
	FAILS(MPI_Ssend(&in, 1, MPI_INT, dead, 1, MPI_COMM_WORLD));
	CHECK(handled == 1);
	OK(MPI_Isend(&in, 1, MPI_INT, dead, 1, MPI_COMM_WORLD, &requests[0])); /* the handler gets its code */
	CHECK(class_of(MPI_Waitall(1, requests, statuses)) == MPI_ERR_IN_STATUS && handled == 2);
	OK(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[0]));
	requests[1] = MPI_REQUEST_NULL;
	PENDS(MPI_Wait(&requests[0], &status));
	CHECK(requests[0] != MPI_REQUEST_NULL && handled == 2);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Errhandler_free(&counts));

	PENDS(MPI_Test(&requests[0], &flag, &status));
	CHECK(!flag);
	PENDS(MPI_Testall(2, requests, &flag, statuses));
	CHECK(!flag);
	PENDS(MPI_Waitany(2, requests, &index, &status));
	CHECK(index == 0);
	CHECK(class_of(MPI_Waitall(2, requests, statuses)) == MPI_ERR_IN_STATUS);
	CHECK(class_of(statuses[0].MPI_ERROR) == MPI_ERR_PROC_FAILED_PENDING && requests[0] != MPI_REQUEST_NULL);
	CHECK(class_of(MPI_Waitsome(2, requests, &count, indices, statuses)) == MPI_ERR_IN_STATUS);
	CHECK(count == 1 && indices[0] == 0 && requests[0] != MPI_REQUEST_NULL);
	FAILS(MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status));

	OK(MPI_Comm_get_failed(MPI_COMM_WORLD, &failed));
	group_is(failed, dead);
	OK(MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &all));
	group_is(all, -1);
	OK(MPI_Comm_ack_failed(MPI_COMM_WORLD, 0, &n));
	CHECK(n == 0);
	OK(MPIX_Comm_ack_failed(MPI_COMM_WORLD, 1, &n));
	CHECK(n == 1);
	CHECK(class_of(MPI_Comm_ack_failed(MPI_COMM_WORLD, -1, &n)) == MPI_ERR_ARG);
	OK(MPIX_Comm_failure_ack(MPI_COMM_WORLD));
	OK(MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &all));
	group_is(all, dead);
	OK(MPI_Group_free(&all));

	OK(MPI_Sendrecv(&rank, 1, MPI_INT, last, 5, &out, 1, MPI_INT, next, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Send(&rank, 1, MPI_INT, next, 3, MPI_COMM_WORLD));
	OK(MPI_Wait(&requests[0], &status));
	CHECK(in == last && status.MPI_SOURCE == last && requests[0] == MPI_REQUEST_NULL);

	OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
	OK(MPI_Group_difference(all, failed, &alive));
	OK(MPI_Comm_create_group(MPI_COMM_WORLD, alive, 0, &comm));
	out = 1;
	OK(MPI_Allreduce(MPI_IN_PLACE, &out, 1, MPI_INT, MPI_SUM, comm));
	CHECK(out == dead);
	OK(MPIX_Comm_is_revoked(comm, &flag));
	CHECK(!flag);
	OK(MPIX_Comm_agree(comm, &flag)); /* all have asked: no barrier, as that ends by MPI_Comm_revoke, too */
	if (rank == 0) OK(MPI_Comm_revoke(comm));
	else CHECK(class_of(MPI_Barrier(comm)) == MPI_ERR_REVOKED);
	CHECK(class_of(MPI_Send(&in, 1, MPI_INT, 0, 0, comm)) == MPIX_ERR_REVOKED);
	OK(MPI_Comm_is_revoked(comm, &flag));
	CHECK(flag);
	OK(MPIX_Comm_revoke(comm));
	OK(MPI_Isend(&in, 1, MPI_INT, 0, 0, comm, &requests[0]));
	OK(MPI_Ibarrier(comm, &requests[1]));
	CHECK(class_of(MPI_Wait(&requests[0], &status)) == MPI_ERR_REVOKED);
	CHECK(class_of(MPI_Wait(&requests[1], &status)) == MPI_ERR_REVOKED);
	agree_and_shrink(comm);
	OK(MPI_Comm_free(&comm));
	OK(MPI_Comm_revoke(MPI_COMM_WORLD)); /* that is in the way of nothing that follows */
	OK(MPI_Finalize());
	if (rank == 0) puts("survived");
	return 0;
}
