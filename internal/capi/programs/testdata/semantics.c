/* Messages in all modes, communicators, attributes, topologies and error handlers. */
#include "program.h"
#include <stdint.h>

/* Every mode, blocking and not, from each rank to the next one. */
static void modes(void) {
	int next = (rank + 1) % size, last = (rank + size - 1) % size, out, in, n, i, room = 4096, tag = 0;
	char *buffer = malloc(room), *detached;
	MPI_Request r[2];
	MPI_Status status[2];
	OK(MPI_Buffer_attach(buffer, room));
	for (i = 0; i < 7; i++, tag++) {
		out = 100 * rank + i, in = -1;
		OK(MPI_Irecv(&in, 1, MPI_INT, last, tag, MPI_COMM_WORLD, &r[0]));
		r[1] = MPI_REQUEST_NULL;
		switch (i) {
		case 0: OK(MPI_Send(&out, 1, MPI_INT, next, tag, MPI_COMM_WORLD)); break;
		case 1: OK(MPI_Bsend(&out, 1, MPI_INT, next, tag, MPI_COMM_WORLD)); break;
		case 2: OK(MPI_Ssend_init(&out, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &r[1])); OK(MPI_Start(&r[1])); break;
		case 3: OK(MPI_Issend(&out, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &r[1])); break;
		case 4: OK(MPI_Ibsend(&out, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &r[1])); break;
		case 5: OK(MPI_Isend(&out, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &r[1])); break;
		case 6: OK(MPI_Bsend_init(&out, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &r[1])); OK(MPI_Start(&r[1])); break;
		}
		OK(MPI_Waitall(2, r, status));
		CHECK(in == 100 * last + i && status[0].MPI_SOURCE == last && status[0].MPI_TAG == tag);
		OK(MPI_Get_count(&status[0], MPI_INT, &n));
		CHECK(n == 1 && r[0] == MPI_REQUEST_NULL);
		if (r[1] != MPI_REQUEST_NULL)
			OK(MPI_Request_free(&r[1]));
	}
	OK(MPI_Buffer_detach(&detached, &n));
	CHECK(detached == buffer && n == room);
	free(buffer);
}

/* A matched probe takes the message that it has found, whatever else is received. */
static void probes(void) {
	int next = (rank + 1) % size, out[2] = {rank, -rank}, in[2] = {0, 0}, n;
	MPI_Message message;
	MPI_Status status;
	MPI_Request r;
	OK(MPI_Isend(out, 2, MPI_INT, next, 3, MPI_COMM_WORLD, &r));
	OK(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status));
	OK(MPI_Get_count(&status, MPI_INT, &n));
	CHECK(n == 2 && status.MPI_TAG == 3);
	OK(MPI_Mrecv(in, 2, MPI_INT, &message, MPI_STATUS_IGNORE));
	CHECK(message == MPI_MESSAGE_NULL && in[0] == status.MPI_SOURCE && in[1] == -in[0]);
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	OK(MPI_Recv(in, 2, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
	CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
}

static int deleted;

static int copy(MPI_Comm from, int key, void *extra, void *value, void *out, int *flag) {
	CHECK(extra == &deleted && from == MPI_COMM_WORLD);
	*(void **)out = (char *)value + 1;
	*flag = 1;
	return MPI_SUCCESS;
}

static int drop(MPI_Comm from, int key, void *value, void *extra) {
	deleted += (int)(MPI_Aint)value;
	return MPI_SUCCESS;
}

static void attributes(void) {
	int key, flag, *bound;
	void *value;
	MPI_Comm twin;
	deleted = 0;
	OK(MPI_Comm_create_keyval(copy, drop, &key, &deleted));
	OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void *)10));
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &twin));
	OK(MPI_Comm_get_attr(twin, key, &value, &flag));
	CHECK(flag && value == (void *)11);
	OK(MPI_Comm_free(&twin));
	CHECK(deleted == 11 && twin == MPI_COMM_NULL);
	OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
	CHECK(deleted == 21);
	OK(MPI_Comm_free_keyval(&key));
	OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag));
	CHECK(flag && *bound >= 32767);
}

/* Even ranks talk to odd ones. */
static void intercommunicators(void) {
	MPI_Comm half, inter, merged;
	int even = rank % 2 == 0, others, sum, n, me;
	if (size < 2)
		return;
	OK(MPI_Comm_split(MPI_COMM_WORLD, even, rank, &half));
	OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, even, 1, &inter));
	OK(MPI_Comm_remote_size(inter, &others));
	CHECK(others == (even ? size / 2 : (size + 1) / 2));
	n = 1;
	OK(MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, inter));
	CHECK(sum == others);
	n = rank;
	OK(MPI_Bcast(&n, 1, MPI_INT, even ? rank == 0 ? MPI_ROOT : MPI_PROC_NULL : 0, inter));
	CHECK(n == (even ? rank : 0));
	OK(MPI_Barrier(inter));
	OK(MPI_Intercomm_merge(inter, even, &merged));
	OK(MPI_Comm_rank(merged, &me));
	CHECK(me == (even ? size / 2 + rank / 2 : rank / 2));
	OK(MPI_Comm_free(&merged));
	OK(MPI_Comm_free(&inter));
	OK(MPI_Comm_free(&half));
}

/* A ring as a grid, with neighbours in a nonblocking operation. */
static void topologies(void) {
	int periods = 1, out = rank, in[2], from, to;
	MPI_Comm ring;
	MPI_Request r;
	OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periods, 0, &ring));
	OK(MPI_Cart_shift(ring, 0, 1, &from, &to));
	CHECK(from == (rank + size - 1) % size && to == (rank + 1) % size);
	OK(MPI_Ineighbor_allgather(&out, 1, MPI_INT, in, 1, MPI_INT, ring, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(in[0] == from && in[1] == to);
	OK(MPI_Comm_free(&ring));
}

static int handled;

static void handle(MPI_Comm *comm, int *code, ...) {
	int class;
	OK(MPI_Error_class(*code, &class));
	CHECK(*comm == MPI_COMM_WORLD);
	handled = class;
}

static int class_of(int code) {
	int class;
	OK(MPI_Error_class(code, &class));
	return class;
}

static void mistakes(void) {
	MPI_Errhandler mine;
	MPI_Comm freed;
	int x = 0;
	char text[MPI_MAX_ERROR_STRING];
	OK(MPI_Comm_create_errhandler(handle, &mine));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine));
	OK(MPI_Errhandler_free(&mine));
	CHECK(class_of(MPI_Send(&x, 1, MPI_INT, size, 0, MPI_COMM_WORLD)) == MPI_ERR_RANK && handled == MPI_ERR_RANK);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	CHECK(class_of(MPI_Send(&x, 1, MPI_INT, 0, -1, MPI_COMM_WORLD)) == MPI_ERR_TAG);
	CHECK(class_of(MPI_Bcast(&x, 1, MPI_INT, -1, MPI_COMM_WORLD)) == MPI_ERR_ROOT);
	OK(MPI_Comm_dup(MPI_COMM_SELF, &freed));
	mine = MPI_ERRORS_RETURN;
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	{
		MPI_Comm stale = freed;
		OK(MPI_Comm_free(&freed));
		CHECK(class_of(MPI_Barrier(stale)) == MPI_ERR_COMM);
	}
	CHECK(class_of(MPI_Barrier((MPI_Comm)MPI_INT)) == MPI_ERR_COMM);
	CHECK(class_of(MPI_Testall(1, NULL, &x, MPI_STATUSES_IGNORE)) == MPI_ERR_ARG);
	CHECK(class_of(MPI_Alltoallv(&x, NULL, &x, MPI_INT, text, NULL, &x, MPI_INT, MPI_COMM_WORLD)) == MPI_ERR_ARG);
	CHECK(class_of(MPI_Type_indexed(1, NULL, NULL, MPI_INT, NULL)) == MPI_ERR_ARG);
	CHECK(class_of(MPI_Comm_rank(MPI_COMM_SELF, NULL)) == MPI_ERR_ARG);
	OK(MPI_Waitall(0, NULL, NULL));
	OK(MPI_Error_string(MPI_ERR_COMM, text, &x));
	CHECK(x > 0 && (int)strlen(text) == x);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

static void handle_null(MPI_Comm *comm, int *code, ...) {
	CHECK(*comm == MPI_COMM_NULL);
	handled = class_of(*code);
}

/* Calls that make an object, or that take two buffers. */
static void more_mistakes(void) {
	int x[2] = {1, 2}, lengths[2] = {size + 1, 1}, periods[2] = {0, 0}, keys;
	MPI_Comm made = MPI_COMM_SELF;
	MPI_Errhandler mine;
	MPI_Group all;
	MPI_Info hints;
	MPI_Session session;
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	CHECK(class_of(MPI_Reduce_local(x, x, 2, MPI_INT, MPI_SUM)) == MPI_ERR_BUFFER);
	OK(MPI_Reduce_local(x, x, 0, MPI_INT, MPI_SUM));
	CHECK(class_of(MPI_Cart_create(MPI_COMM_WORLD, 2, lengths, periods, 0, &made)) != MPI_SUCCESS);
	CHECK(made == MPI_COMM_NULL);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));

	OK(MPI_Info_create(&hints));
	OK(MPI_Info_set(hints, "thread_level", "MPI_THREAD_SOME"));
	CHECK(class_of(MPI_Session_init(hints, MPI_ERRORS_RETURN, &session)) == MPI_ERR_ARG);
	OK(MPI_Info_set(hints, "thread_level", "MPI_THREAD_SERIALIZED"));
	OK(MPI_Session_init(hints, MPI_ERRORS_RETURN, &session));
	OK(MPI_Session_finalize(&session));

	/* A hint that changes nothing is not reported. */
	OK(MPI_Comm_set_info(MPI_COMM_SELF, hints));
	OK(MPI_Comm_dup_with_info(MPI_COMM_SELF, hints, &made));
	OK(MPI_Info_free(&hints));
	OK(MPI_Comm_get_info(made, &hints));
	OK(MPI_Info_get_nkeys(hints, &keys));
	CHECK(keys == 0);
	OK(MPI_Info_free(&hints));
	OK(MPI_Comm_free(&made));

	OK(MPI_Comm_create_errhandler(handle_null, &mine));
	OK(MPI_Comm_group(MPI_COMM_SELF, &all));
	handled = MPI_SUCCESS;
	(void)MPI_Comm_create_from_group(all, "mistake", MPI_INFO_NULL, mine, NULL);
	CHECK(handled == MPI_ERR_ARG);
	OK(MPI_Group_free(&all));
	OK(MPI_Errhandler_free(&mine));
}

/* Memory of any size; what the system does not have is an error, and not the end. */
static void memory(void) {
	int next = (rank + 1) % size, last = (rank + size - 1) % size, sizes[] = {0, 1000, 3 << 20};
	char *at;
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	for (int i = 0; i < 3; i++) {
		OK(MPI_Alloc_mem(sizes[i], MPI_INFO_NULL, &at));
		memset(at, rank, sizes[i]);
		OK(MPI_Sendrecv_replace(at, sizes[i], MPI_CHAR, next, 1, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		CHECK(sizes[i] == 0 || (at[0] == last && at[sizes[i] - 1] == last));
		OK(MPI_Free_mem(at));
		CHECK(MPI_Free_mem(at) == MPI_ERR_BASE);
	}
	CHECK(MPI_Alloc_mem((MPI_Aint)1 << 50, MPI_INFO_NULL, &at) == MPI_ERR_NO_MEM);
	CHECK(MPI_Alloc_mem(PTRDIFF_MAX, MPI_INFO_NULL, &at) == MPI_ERR_NO_MEM);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
}

int main(void) {
	join(MPI_THREAD_SINGLE);
	modes();
	probes();
	attributes();
	intercommunicators();
	topologies();
	memory();
	mistakes();
	more_mistakes();
	OK(MPI_Finalize());
	return 0;
}
