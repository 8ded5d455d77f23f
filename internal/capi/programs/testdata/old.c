/* What MPI 3.0 removed, and conversions to and from Fortran. */
#include "program.h"

struct record {
	int n;
	double x;
};

static int failed;

static void note(MPI_Comm *comm, int *code, ...) { failed = *comm == MPI_COMM_WORLD && *code != MPI_SUCCESS; }

static void types(void) {
	struct record out = {7, 2.5}, in = {0, 0};
	int lengths[] = {1, 1};
	MPI_Aint at[2], base, extent, lower, upper;
	MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE}, type;
	OK(MPI_Address(&out, &base));
	OK(MPI_Address(&out.n, &at[0]));
	OK(MPI_Address(&out.x, &at[1]));
	at[0] -= base;
	at[1] -= base;
	OK(MPI_Type_struct(2, lengths, at, parts, &type));
	OK(MPI_Type_commit(&type));
	OK(MPI_Type_extent(type, &extent));
	OK(MPI_Type_lb(type, &lower));
	OK(MPI_Type_ub(type, &upper));
	OK(MPI_Errhandler_set(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	CHECK(MPI_Type_ub(type, NULL) == MPI_ERR_ARG);
	OK(MPI_Errhandler_set(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
	CHECK(extent == sizeof out && lower == 0 && upper == extent);
	OK(MPI_Sendrecv(&out, 1, type, rank, 1, &in, 1, MPI_Type_f2c(MPI_Type_c2f(type)), rank, 1, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE));
	CHECK(in.n == 7 && in.x == 2.5);
	OK(MPI_Type_free(&type));
}

static void handlers(void) {
	MPI_Errhandler mine, set;
	int x = 0;
	OK(MPI_Errhandler_create(note, &mine));
	OK(MPI_Errhandler_set(MPI_COMM_WORLD, mine));
	OK(MPI_Errhandler_get(MPI_COMM_WORLD, &set));
	CHECK(set == mine && MPI_Send(&x, 1, MPI_INT, size, 0, MPI_COMM_WORLD) != MPI_SUCCESS && failed);
	OK(MPI_Errhandler_free(&mine));
	OK(MPI_Errhandler_free(&set));
	OK(MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

static void statuses(void) {
	MPI_Fint there[8];
	MPI_Status out, in;
	int n;
	OK(MPI_Sendrecv(&rank, 1, MPI_INT, rank, 3, &n, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &out));
	OK(MPI_Status_c2f(&out, there));
	CHECK(there != MPI_F_STATUS_IGNORE && there[MPI_F_SOURCE] == rank && there[MPI_F_TAG] == 3);
	OK(MPI_Status_f2c(there, &in));
	OK(MPI_Get_count(&in, MPI_INT, &n));
	CHECK(n == 1);
}

int main(void) {
	join(MPI_THREAD_SINGLE);
	CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
	CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_NULL)) == MPI_COMM_NULL);
	types();
	handlers();
	statuses();
	OK(MPI_Finalize());
	return 0;
}
