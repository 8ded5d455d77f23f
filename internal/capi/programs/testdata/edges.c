/* What the standard says of arguments at the edge: null and empty objects, nobody, operations that are cancelled. */
#include "program.h"

static MPI_Status status;

/* The status of no operation: MPI 5.0 section 3.7.3. MPI_ERROR is part of it. */
static void stale(void) {
	status.MPI_SOURCE = 5, status.MPI_TAG = 6, status.MPI_ERROR = MPI_ERR_OTHER;
}

#define EMPTY(call) \
	do { \
		OK(call); \
		none(); \
	} while (0)

static void none(void) {
	int n = -7;
	OK(MPI_Get_count(&status, MPI_INT, &n));
	CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && n == 0);
	CHECK(status.MPI_ERROR == MPI_SUCCESS);
	stale();
}

static void empty_statuses(void) {
	MPI_Request r = MPI_REQUEST_NULL, q[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, idle;
	int f, i, x;
	stale();
	EMPTY(MPI_Wait(&r, &status));
	EMPTY(MPI_Test(&r, &f, &status));
	EMPTY(MPI_Request_get_status(r, &f, &status));
	EMPTY(MPI_Waitany(2, q, &i, &status));
	EMPTY(MPI_Testany(2, q, &i, &f, &status));
	EMPTY(MPI_Request_get_status_any(2, q, &i, &f, &status));
	EMPTY(MPI_Request_get_status_all(1, q, &f, &status));
	EMPTY(MPI_Waitall(1, q, &status));
	EMPTY(MPI_Testall(1, q, &f, &status));
	OK(MPI_Recv_init(&x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &idle));
	EMPTY(MPI_Wait(&idle, &status));
	OK(MPI_Request_free(&idle));
	OK(MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
	CHECK(status.MPI_ERROR == MPI_ERR_OTHER); /* a call that completes one operation leaves it */
}

static void nobody(void) {
	int x = 1, n, i;
	MPI_Request r[3];
	OK(MPI_Bsend(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD)); /* without a buffer */
	OK(MPI_Ibsend(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[0]));
	OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
	OK(MPI_Bsend_init(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[0]));
	OK(MPI_Recv_init(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[1]));
	OK(MPI_Ssend_init(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[2]));
	for (i = 0; i < 2; i++) {
		OK(MPI_Startall(3, r));
		OK(MPI_Wait(&r[1], &status));
		OK(MPI_Get_count(&status, MPI_INT, &n));
		CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && n == 0);
		OK(MPI_Waitall(3, r, MPI_STATUSES_IGNORE));
	}
	for (i = 0; i < 3; i++)
		OK(MPI_Request_free(&r[i]));
	CHECK(MPI_Bsend(&x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
	CHECK(MPI_Sendrecv_replace_c(&x, (MPI_Count)1 << 50, MPI_INT, rank, 0, rank, 0, MPI_COMM_WORLD,
		      MPI_STATUS_IGNORE) == MPI_ERR_NO_MEM); /* of a copy */
}

/* MPI 5.0 chapter 4: a null or inactive request has arrived; there is at least one partition; an active request is
 * neither cancelled nor freed. */
static void partitioned(void) {
	int buf[4] = {0}, in[4], flag = -1;
	MPI_Request null = MPI_REQUEST_NULL, send, receive, keep;
	OK(MPI_Parrived(null, 0, &flag));
	CHECK(flag == 1);
	CHECK(MPI_Psend_init(buf, 0, 5, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &send) == MPI_ERR_ARG);
	OK(MPI_Psend_init(buf, 4, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
	OK(MPI_Precv_init(in, 4, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
	flag = -1;
	OK(MPI_Parrived(receive, 0, &flag));
	CHECK(flag == 1);
	OK(MPI_Start(&send));
	OK(MPI_Start(&receive));
	keep = send;
	CHECK(MPI_Cancel(&send) == MPI_ERR_REQUEST && MPI_Request_free(&send) == MPI_ERR_REQUEST && send == keep);
	CHECK(MPI_Cancel(&receive) == MPI_ERR_REQUEST);
	OK(MPI_Pready_range(0, 3, send));
	OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
	OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
	OK(MPI_Request_free(&send));
	OK(MPI_Request_free(&receive));
}

/* A send that nobody has received is cancelled, and the next one is received in its place. */
static void cancelled(void) {
	static int big[100000];
	int x = 3, y = 4, in = -1, flag = -1, n;
	MPI_Message message;
	MPI_Request r, q;
	OK(MPI_Issend(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r));
	OK(MPI_Isend(big, 100000, MPI_INT, 0, 0, MPI_COMM_SELF, &q));
	OK(MPI_Cancel(&r));
	OK(MPI_Cancel(&q));
	OK(MPI_Wait(&r, &status));
	OK(MPI_Test_cancelled(&status, &flag));
	CHECK(flag == 1);
	OK(MPI_Waitall(1, &q, &status));
	OK(MPI_Test_cancelled(&status, &flag));
	CHECK(flag == 1);
	OK(MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
	CHECK(!flag);
	OK(MPI_Issend(&y, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r));
	OK(MPI_Mprobe(0, 0, MPI_COMM_SELF, &message, &status));
	OK(MPI_Cancel(&r)); /* too late: the message is taken */
	OK(MPI_Mrecv(&in, 1, MPI_INT, &message, &status));
	OK(MPI_Get_count(&status, MPI_INT, &n));
	OK(MPI_Wait(&r, &status));
	OK(MPI_Test_cancelled(&status, &flag));
	CHECK(in == 4 && n == 1 && !flag);
}

/* Optional types that are not there have no size: MPI 5.0 section 20.4. */
static void half_precision(void) {
	MPI_Datatype halves[2] = {MPI_REAL2, MPI_COMPLEX4}, made;
	const char *keys[2] = {"mpi_real2_supported", "mpi_complex4_supported"};
	MPI_Info about;
	MPI_Count large;
	char value[8];
	int i, n, flag;
	OK(MPI_Abi_get_fortran_info(&about));
	for (i = 0; i < 2; i++) {
		OK(MPI_Type_size(halves[i], &n));
		OK(MPI_Type_size_c(halves[i], &large));
		CHECK(n == MPI_UNDEFINED && large == MPI_UNDEFINED);
		CHECK(MPI_Type_contiguous(2, halves[i], &made) == MPI_ERR_TYPE);
		CHECK(MPI_Send(value, 1, halves[i], rank, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
		n = sizeof value;
		OK(MPI_Info_get_string(about, keys[i], &n, value, &flag));
		CHECK(flag && strcmp(value, "false") == 0);
	}
	CHECK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 2, &made) == MPI_ERR_ARG);
	OK(MPI_Info_free(&about));
	CHECK(MPI_Type_size(MPI_DATATYPE_NULL, &n) == MPI_ERR_TYPE);
}

/* Extents of dense types, of types with gaps, of types with bounds of their own, and of a type that was freed. */
static void extents(void) {
	MPI_Datatype types[6] = {MPI_CHAR, MPI_DOUBLE_INT};
	const MPI_Aint has[6][4] = {{0, 1, 0, 1}, {0, 16, 0, 12}, {0, 12, 0, 12}, {0, 16, 0, 16}, {-4, 16, 0, 4},
		{8, 4, 8, 4}};
	const int one = 1;
	const MPI_Aint eight = 8;
	MPI_Aint got[4];
	OK(MPI_Type_contiguous(3, MPI_INT, &types[2]));
	OK(MPI_Type_vector(2, 1, 3, MPI_INT, &types[3]));
	OK(MPI_Type_create_resized(MPI_INT, -4, 16, &types[4]));
	OK(MPI_Type_create_hindexed(1, &one, &eight, MPI_INT, &types[5]));
	for (int i = 0; i < 6; i++) {
		OK(MPI_Type_get_extent(types[i], &got[0], &got[1]));
		OK(MPI_Type_get_true_extent(types[i], &got[2], &got[3]));
		CHECK(memcmp(got, has[i], sizeof got) == 0);
		CHECK(MPI_Type_get_extent(types[i], NULL, &got[1]) == MPI_ERR_ARG);
	}
	for (int i = 2; i < 6; i++) {
		MPI_Datatype freed = types[i];
		OK(MPI_Type_free(&types[i]));
		CHECK(MPI_Type_get_extent(freed, &got[0], &got[1]) == MPI_ERR_TYPE);
	}
}

/* Logical and bitwise operators are not for floating point numbers. */
static void operators(void) {
	MPI_Op ops[6] = {MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BXOR, MPI_MINLOC};
	float x = 3.5f, y;
	for (int i = 0; i < 6; i++)
		CHECK(MPI_Reduce_local(&x, &y, 1, MPI_FLOAT, ops[i]) == MPI_ERR_OP);
}

/* Codes with a string, and classes with codes or a string, are not removed. */
static void codes(void) {
	int class, code;
	OK(MPI_Add_error_class(&class));
	OK(MPI_Add_error_string(class, "class"));
	OK(MPI_Add_error_code(class, &code));
	OK(MPI_Add_error_string(code, "code"));
	CHECK(MPI_Remove_error_class(class) != MPI_SUCCESS && MPI_Remove_error_code(code) != MPI_SUCCESS);
	OK(MPI_Remove_error_string(code));
	OK(MPI_Remove_error_code(code));
	CHECK(MPI_Remove_error_code(code) != MPI_SUCCESS && MPI_Remove_error_class(class) != MPI_SUCCESS);
	OK(MPI_Remove_error_string(class));
	OK(MPI_Remove_error_class(class));
}

/* A session after MPI_Finalize has all that a session has. */
static void late_session(int k) {
	MPI_Session s;
	MPI_Group g;
	MPI_Comm c;
	MPI_Request r;
	int x = rank + 1, sum = 0, n;
	OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &g));
	OK(MPI_Comm_create_from_group(g, "late", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	OK(MPI_Comm_size(c, &n));
	CHECK(n == size);
	OK(MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, c));
	CHECK(sum == size * (size + 1) / 2);
	OK(MPI_Isend(&x, 1, MPI_INT, (rank + 1) % size, k, c, &r));
	OK(MPI_Recv(&sum, 1, MPI_INT, (rank + size - 1) % size, k, c, MPI_STATUS_IGNORE));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(sum == (rank + size - 1) % size + 1);
	OK(MPI_Iallreduce(&x, &sum, 1, MPI_INT, MPI_SUM, c, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(sum == size * (size + 1) / 2);
	OK(MPI_Group_free(&g));
	OK(MPI_Comm_free(&c));
	OK(MPI_Session_finalize(&s));
}

int main(int argc, char **argv) {
	MPI_Session early;
	int k;
	if (argc > 1)
		OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &early));
	join(MPI_THREAD_SINGLE);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	empty_statuses();
	nobody();
	partitioned();
	cancelled();
	half_precision();
	extents();
	operators();
	codes();
	ring();
	OK(MPI_Finalize());
	if (argc > 1)
		OK(MPI_Session_finalize(&early));
	for (k = 0; k < 3; k++)
		late_session(k);
	return 0;
}
