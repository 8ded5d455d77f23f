// What programs see that were built with Open MPI, or with MPICH: constants, handles, statuses, callbacks, strings.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

#define CHECK(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "rank %d: line %d: %s\n", rank, __LINE__, #what); \
			MPI_Abort(MPI_COMM_WORLD, 3); \
		} \
	} while (0)

static void predefined_types(void) {
	MPI_Datatype types[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_FLOAT, MPI_DOUBLE,
		MPI_LONG_DOUBLE, MPI_BYTE, MPI_PACKED, MPI_INT8_T, MPI_UINT64_T, MPI_C_BOOL, MPI_C_DOUBLE_COMPLEX, MPI_2INT,
		MPI_DOUBLE_INT, MPI_AINT, MPI_COUNT, MPI_OFFSET, MPI_WCHAR};
	int bytes[] = {1, 2, 4, 8, 8, 4, 8, 16, 1, 1, 1, 8, 1, 16, 8, 12, 8, 8, 8, 4};
	for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
		int got, integers, addresses, inner, combiner;
		CHECK(MPI_Type_size(types[i], &got) == MPI_SUCCESS && got == bytes[i]);
		MPI_Type_get_envelope(types[i], &integers, &addresses, &inner, &combiner);
		CHECK(combiner == MPI_COMBINER_NAMED);
		CHECK(MPI_Type_f2c(MPI_Type_c2f(types[i])) == types[i]);
	}
}

static void messages(void) {
	int next = (rank + 1) % size, before = (rank + size - 1) % size, out[4] = {rank, 1, 2, 3}, in[4];
	MPI_Request requests[5] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
		MPI_REQUEST_NULL};
	MPI_Status statuses[5], one;
	int count, flag, index, indices[5];

	MPI_Irecv(in, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
	MPI_Isend(out, 4, MPI_INT, next, 7, MPI_COMM_WORLD, &requests[3]);
	memset(statuses, 0x55, sizeof statuses);
	CHECK(MPI_Waitall(5, requests, statuses) == MPI_SUCCESS);
	for (int i = 0; i < 5; i++)
		CHECK(requests[i] == MPI_REQUEST_NULL);
	CHECK(statuses[1].MPI_SOURCE == before && statuses[1].MPI_TAG == 7 && in[0] == before);
	CHECK(MPI_Get_count(&statuses[1], MPI_INT, &count) == MPI_SUCCESS && count == 4);
	CHECK(statuses[0].MPI_SOURCE == MPI_ANY_SOURCE && statuses[0].MPI_TAG == MPI_ANY_TAG);
	CHECK(statuses[4].MPI_SOURCE == MPI_ANY_SOURCE && statuses[4].MPI_ERROR == MPI_SUCCESS);

	CHECK(MPI_Waitany(5, requests, &index, &one) == MPI_SUCCESS && index == MPI_UNDEFINED);
	CHECK(MPI_Waitsome(5, requests, &count, indices, statuses) == MPI_SUCCESS && count == MPI_UNDEFINED);
	CHECK(MPI_Testall(5, requests, &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS && flag);
	MPI_Irecv(in, 4, MPI_INT, before, 8, MPI_COMM_WORLD, &requests[2]);
	MPI_Send(out, 4, MPI_INT, next, 8, MPI_COMM_WORLD);
	CHECK(MPI_Waitany(5, requests, &index, &one) == MPI_SUCCESS && index == 2 && one.MPI_TAG == 8);
	CHECK(requests[2] == MPI_REQUEST_NULL);

	MPI_Recv(in, 4, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &one);
	CHECK(one.MPI_SOURCE == MPI_PROC_NULL && one.MPI_TAG == MPI_ANY_TAG);
	MPI_Send(out, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
	MPI_Sendrecv(out, 1, MPI_INT, next, 1, in, 1, MPI_INT, before, MPI_ANY_TAG, MPI_COMM_WORLD, &one);
	CHECK(one.MPI_TAG == 1 && in[0] == before);

	MPI_Message message;
	MPI_Isend(out, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &requests[0]);
	MPI_Mprobe(rank, 3, MPI_COMM_WORLD, &message, &one);
	MPI_Mrecv(in, 1, MPI_INT, &message, &one);
	CHECK(message == MPI_MESSAGE_NULL);
	MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, &one);
	CHECK(message == MPI_MESSAGE_NO_PROC);
	MPI_Mrecv(in, 1, MPI_INT, &message, &one);
	CHECK(message == MPI_MESSAGE_NULL);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	CHECK(requests[0] == MPI_REQUEST_NULL);
}

static MPI_Datatype seen;

static void add(void *in, void *inout, int *n, MPI_Datatype *type) {
	seen = *type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

#ifndef FACE_MPICH
// The function of an operator in C++ calls another one, which Open MPI gives it by this.
void ompi_op_set_cxx_callback(MPI_Op op, MPI_User_function *function);

static void intercept(void *in, void *inout, int *n, MPI_Datatype *type, MPI_User_function *function) {
	function(in, inout, n, type);
}

static void operators(void) {
	int two = 2, more = 3;
	MPI_Op op;
	MPI_Op_create((MPI_User_function *)intercept, 1, &op);
	ompi_op_set_cxx_callback(op, add);
	seen = MPI_DATATYPE_NULL;
	CHECK(MPI_Reduce_local(&two, &more, 1, MPI_INT, op) == MPI_SUCCESS && more == 5 && seen == MPI_INT);
	MPI_Op_free(&op);
}
#endif

static void collectives(void) {
	int v = rank + 1, sum = 0, all = size * (size + 1) / 2, counts[64], displs[64], from[64], to[64];
	MPI_Datatype types[64];
	struct { double value; int place; } pair = {rank, rank}, most;
	MPI_Op op;
	CHECK(MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS && sum == all);
	CHECK(MPI_Allreduce(&pair, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD) == MPI_SUCCESS);
	CHECK(most.place == size - 1);
	sum = v;
	CHECK(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS && sum == all);
	MPI_Op_create(add, 1, &op);
	CHECK(MPI_Allreduce(&v, &sum, 1, MPI_INT, op, MPI_COMM_WORLD) == MPI_SUCCESS && sum == all);
	CHECK(size == 1 || seen == MPI_INT || seen == (MPI_Datatype)0);
	MPI_Op_free(&op);
	CHECK(op == MPI_OP_NULL);
	for (int i = 0; i < size; i++) {
		counts[i] = 1, displs[i] = 4 * i, from[i] = rank * 100 + i, types[i] = MPI_INT;
	}
	MPI_Alltoallw(from, counts, displs, types, to, counts, displs, types, MPI_COMM_WORLD);
	for (int i = 0; i < size; i++)
		CHECK(to[i] == i * 100 + rank);
}

static int copies, deletes;

static int copy(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag) {
	copies += comm == MPI_COMM_WORLD && state == &copies;
	*(void **)out = in;
	*flag = 1;
	return MPI_SUCCESS;
}

static int forget(MPI_Comm comm, int key, void *value, void *state) {
	deletes++;
	return MPI_SUCCESS;
}

static void attributes(void) {
	int key, plain, none, flag, *value, wrong = MPI_KEYVAL_INVALID;
	MPI_Comm dup;
	MPI_Comm_create_keyval(copy, forget, &key, &copies);
	MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &plain, NULL);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &none, NULL);
	MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
	MPI_Comm_set_attr(MPI_COMM_WORLD, plain, &plain);
	MPI_Comm_set_attr(MPI_COMM_WORLD, none, &none);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	CHECK(copies == 1);
	MPI_Comm_get_attr(dup, plain, &value, &flag);
	CHECK(flag && value == &plain);
	MPI_Comm_get_attr(dup, none, &value, &flag);
	CHECK(!flag);
	MPI_Comm_free(&dup);
	CHECK(dup == MPI_COMM_NULL && deletes == 1);
	MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
	MPI_Comm_delete_attr(MPI_COMM_WORLD, plain);
	MPI_Comm_free_keyval(&key);
	CHECK(key == wrong);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
	CHECK(flag && *value >= 32767);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
	CHECK(flag && *value >= size);
}

static MPI_Comm failed;
static int failure;

static void handler(MPI_Comm *comm, int *code, ...) {
	failed = *comm;
	failure = *code;
}

static void errors(void) {
	char text[MPI_MAX_ERROR_STRING];
	int n, class, code, out = 1;
	MPI_Errhandler mine, old;
	MPI_Comm_get_errhandler(MPI_COMM_WORLD, &old);
	CHECK(old == MPI_ERRORS_ARE_FATAL);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	CHECK(MPI_Send(&out, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
	CHECK(MPI_Send(&out, 1, MPI_INT, 0, -7, MPI_COMM_WORLD) == MPI_ERR_TAG);
	CHECK(MPI_Send(&out, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
	CHECK(MPI_Win_fence(0, MPI_WIN_NULL) == MPI_ERR_WIN);
	CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL) == MPI_ERR_ARG);
	MPI_Error_class(MPI_ERR_WIN, &class);
	CHECK(class == MPI_ERR_WIN);
	CHECK(MPI_Error_string(MPI_ERR_IN_STATUS, text, &n) == MPI_SUCCESS && n == (int)strlen(text) && n < 256);
	CHECK(strstr(text, "IN_STATUS"));
	MPI_Add_error_class(&class);
	MPI_Add_error_code(class, &code);
	CHECK(class > MPI_ERR_LASTCODE && code > class);
	MPI_Comm_create_errhandler(handler, &mine);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
	CHECK(MPI_Send(&out, 1, MPI_INT, -9, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
	CHECK(failed == MPI_COMM_WORLD && failure == MPI_ERR_RANK);
	MPI_Request two[2];
	MPI_Status statuses[2];
	int in[2];
	failure = 0;
	MPI_Irecv(in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &two[0]);
	MPI_Irecv(in, 0, MPI_INT, rank, 2, MPI_COMM_WORLD, &two[1]);
	MPI_Send(&out, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
	MPI_Send(&out, 1, MPI_INT, rank, 2, MPI_COMM_WORLD);
	CHECK(MPI_Waitall(2, two, statuses) == MPI_ERR_IN_STATUS && failure == MPI_ERR_TRUNCATE);
	CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_ERROR == MPI_ERR_TRUNCATE);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Errhandler_free(&mine);
	CHECK(mine == MPI_ERRHANDLER_NULL);
}

static void strings(void) {
	char name[MPI_MAX_OBJECT_NAME], version[MPI_MAX_LIBRARY_VERSION_STRING], text[101];
	int n, flag;
	MPI_Info info;
	memset(text, 'x', 100);
	text[100] = 0;
	MPI_Comm_set_name(MPI_COMM_SELF, text);
	memset(name, 1, sizeof name);
	MPI_Comm_get_name(MPI_COMM_SELF, name, &n);
	int most = MPI_MAX_OBJECT_NAME > 100 ? 100 : MPI_MAX_OBJECT_NAME - 1;
	CHECK(n == most && name[n - 1] == 'x' && name[n] == 0);
	MPI_Comm_set_name(MPI_COMM_SELF, "MPI_COMM_SELF");
	MPI_Get_library_version(version, &n);
	CHECK(strstr(version, "gopvas") && n == (int)strlen(version));
	CHECK(strstr(version, MPI_MAX_OBJECT_NAME > 100 ? "MPICH" : "Open MPI"));
	MPI_Info_create(&info);
	MPI_Info_set(info, "key", "value");
	MPI_Info_get(info, "key", 99, text, &flag);
	CHECK(flag && strcmp(text, "value") == 0);
	MPI_Info_free(&info);
	CHECK(info == MPI_INFO_NULL);
	int version_of, sub;
	MPI_Get_version(&version_of, &sub);
	CHECK(version_of == MPI_VERSION && sub == MPI_SUBVERSION);
}

static void types(void) {
	int lengths[2] = {1, 2}, integers[8], n[3], combiner;
	MPI_Aint displacements[2] = {0, 8}, addresses[8];
	MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE}, made, got[2], sub;
	MPI_Type_create_struct(2, lengths, displacements, parts, &made);
	MPI_Type_commit(&made);
	MPI_Type_get_envelope(made, &n[0], &n[1], &n[2], &combiner);
	CHECK(combiner == MPI_COMBINER_STRUCT && n[2] == 2);
	MPI_Type_get_contents(made, n[0], n[1], n[2], integers, addresses, got);
	CHECK(got[0] == MPI_INT && got[1] == MPI_DOUBLE);
	MPI_Type_free(&made);
	CHECK(made == MPI_DATATYPE_NULL);
	int gsizes[2] = {8, 8}, distribs[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
		dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, psizes[2] = {2, 2};
	CHECK(MPI_Type_create_darray(4, 1, 2, gsizes, distribs, dargs, psizes, MPI_ORDER_FORTRAN, MPI_INT, &sub) ==
		MPI_SUCCESS);
	int all[32];
	MPI_Type_get_envelope(sub, &n[0], &n[1], &n[2], &combiner);
	CHECK(combiner == MPI_COMBINER_DARRAY && n[0] == 12);
	MPI_Type_get_contents(sub, n[0], n[1], n[2], all, addresses, got);
	CHECK(all[5] == MPI_DISTRIBUTE_BLOCK && all[6] == MPI_DISTRIBUTE_CYCLIC && all[7] == MPI_DISTRIBUTE_DFLT_DARG &&
		all[8] == 2 && all[11] == MPI_ORDER_FORTRAN);
	MPI_Type_free(&sub);
}

static void windows(void) {
	long *memory, got = -1, one = 1, *base;
	int flag, *flavor, *model;
	MPI_Win win;
	MPI_Win_allocate(4 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
	CHECK(flag && *flavor == MPI_WIN_FLAVOR_ALLOCATE);
	MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
	CHECK(flag && *model == MPI_WIN_UNIFIED);
	MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
	CHECK(flag && base == memory);
	memory[0] = 0;
	memory[1] = rank;
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	MPI_Get(&got, 1, MPI_LONG, (rank + 1) % size, 1, 1, MPI_LONG, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	CHECK(got == (rank + 1) % size);
	for (int kind = 0; kind < 2; kind++) {
		MPI_Win_lock(kind ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Fetch_and_op(&one, &got, MPI_LONG, 0, 0, MPI_SUM, win);
		MPI_Win_flush(0, win);
		MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
		MPI_Win_unlock(0, win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win);
	MPI_Fetch_and_op(NULL, &got, MPI_LONG, 0, 0, MPI_NO_OP, win);
	MPI_Win_unlock(0, win);
	CHECK(got == 4 * size);
	MPI_Win_free(&win);
	CHECK(win == MPI_WIN_NULL);
}

static void files(const char *path) {
	MPI_File f;
	MPI_Status status;
	MPI_Offset at;
	MPI_Datatype etype, filetype;
	char rep[MPI_MAX_DATAREP_STRING];
	int v = rank, got, mode, n;
	CHECK(MPI_File_open(MPI_COMM_WORLD, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &f) == MPI_ERR_NO_SUCH_FILE);
	CHECK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
		&f) == MPI_SUCCESS);
	MPI_File_get_amode(f, &mode);
	CHECK(mode == (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE));
	MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	MPI_File_get_view(f, &at, &etype, &filetype, rep);
	CHECK(etype == MPI_INT && strcmp(rep, "native") == 0);
	MPI_File_write_at_all(f, rank, &v, 1, MPI_INT, &status);
	MPI_Get_count(&status, MPI_INT, &n);
	CHECK(n == 1);
	MPI_File_sync(f);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_seek(f, (rank + 1) % size, MPI_SEEK_SET);
	MPI_File_read(f, &got, 1, MPI_INT, &status);
	CHECK(got == (rank + 1) % size);
	MPI_File_seek(f, 0, MPI_SEEK_END);
	MPI_File_get_position(f, &at);
	CHECK(at == size);
	MPI_File_close(&f);
	CHECK(f == MPI_FILE_NULL);
}

#ifndef FACE_MPICH
static int together(int kind) {
	MPI_Comm some;
	int n;
	MPI_Comm_split_type(MPI_COMM_WORLD, kind, 0, MPI_INFO_NULL, &some);
	MPI_Comm_size(some, &n);
	MPI_Comm_free(&some);
	return n;
}

// Parts of a node, OMPI_COMM_TYPE_HWTHREAD to _NUMA, hold the ranks that are bound to them; then come whole nodes.
static void parts(void) {
	cpu_set_t was, set;
	int kind, n, least = 1, cpu = 0;
	for (kind = 8; kind <= 11; kind++) CHECK(together(kind) == size);
	sched_getaffinity(0, sizeof was, &was);
	for (cpu = 0; !CPU_ISSET(cpu, &was);) cpu++;
	MPI_Bcast(&cpu, 1, MPI_INT, 0, MPI_COMM_WORLD);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	n = sched_setaffinity(0, sizeof set, &set);
	MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	for (kind = 1; kind <= 7 && n == 0; kind++) { // not every kernel shows caches and nodes
		int all = together(kind);
		CHECK(all == size || (all == 1 && kind > 1));
	}
	sched_setaffinity(0, sizeof was, &was);
	for (kind = 1; kind <= 5; kind++, least = n) CHECK((n = together(kind)) >= least || n == 1);
}
#endif

static void communicators(void) {
	MPI_Group world, none;
	MPI_Comm node, cart;
	int result, n, dims[1] = {0}, periods[1] = {1}, source, dest, kind;
	MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
	CHECK(result == MPI_IDENT);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_size(node, &n);
	CHECK(n == size);
	MPI_Comm_compare(MPI_COMM_WORLD, node, &result);
	CHECK(result == MPI_CONGRUENT);
	MPI_Comm_free(&node);
#ifndef FACE_MPICH
	parts();
	CHECK(MPI_Comm_c2f(MPI_COMM_WORLD) == 0 && MPI_Op_c2f(MPI_SUM) == 3);
#endif
	MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &node);
	CHECK(node == MPI_COMM_NULL);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 0, NULL, &none);
	CHECK(none == MPI_GROUP_EMPTY);
	MPI_Group_free(&world);
	CHECK(world == MPI_GROUP_NULL);
	MPI_Dims_create(size, 1, dims);
	periods[0] = 0;
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &cart);
	MPI_Cart_shift(cart, 0, 1, &source, &dest);
	CHECK(rank > 0 || source == MPI_PROC_NULL);
	MPI_Topo_test(cart, &kind);
	CHECK(kind == MPI_CART);
	int neighbor = 0;
	MPI_Comm graph;
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &neighbor, MPI_UNWEIGHTED, rank == 0 ? size : 0,
		rank == 0 ? (int[64]){0, 1, 2, 3, 4, 5, 6, 7} : &neighbor, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
	MPI_Topo_test(graph, &kind);
	CHECK(kind == MPI_DIST_GRAPH);
	MPI_Comm_free(&graph);
	MPI_Comm_free(&cart);
	CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD && MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM);
}

#ifdef FACE_MPICH
// Handles are ints: predefined ones have values that look like those of objects, and one value is of two kinds.
static void sentinels(void) {
	MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, (MPI_Request)MPI_INT};
	MPI_Status status;
	MPI_Count bytes = 0x123456789;
	int n, flag, *value, cancelled;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
	CHECK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE) == MPI_ERR_REQUEST);
	CHECK(MPI_Comm_size((MPI_Comm)MPI_INT, &n) == MPI_ERR_COMM);
	CHECK(MPI_Comm_size((MPI_Comm)(MPI_COMM_WORLD ^ 1 << 31), &n) == MPI_ERR_COMM);
	CHECK(MPI_Barrier(0) == MPI_ERR_COMM && MPI_Type_size((MPI_Datatype)MPI_COMM_WORLD, &n) == MPI_ERR_TYPE);
	CHECK(MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Status_set_elements_x(&status, MPI_BYTE, bytes);
	MPI_Status_set_cancelled(&status, 1);
	MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
	MPI_Test_cancelled(&status, &cancelled);
	CHECK(bytes == 0x123456789 && cancelled && ((unsigned *)&status)[0] == 0x23456789 && ((int *)&status)[1] == 3);
	for (int key = MPI_TAG_UB; key <= MPI_TAG_UB + 1; key++) { // the second is that of Fortran
		MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
		CHECK(flag && *value >= 32767);
	}
	CHECK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN) == MPI_SUCCESS);
}
#endif

int main(int argc, char **argv) {
	int provided;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	if (provided != MPI_THREAD_FUNNELED)
		return 2;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	predefined_types();
	messages();
	collectives();
#ifdef FACE_MPICH
	sentinels();
#else
	operators();
#endif
	attributes();
	errors();
	strings();
	types();
	windows();
	files(argv[1]);
	communicators();
	return MPI_Finalize();
}
