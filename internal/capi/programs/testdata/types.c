/* Datatypes from rank to rank, and what receivers are told of them. */
#include "program.h"
#include <stddef.h>

struct particle {
	char kind;
	double position[3];
	int id;
};

static MPI_Datatype particle_type(void) {
	int lengths[3] = {1, 3, 1};
	MPI_Aint at[3] = {offsetof(struct particle, kind), offsetof(struct particle, position),
		offsetof(struct particle, id)};
	MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT}, made, resized;
	OK(MPI_Type_create_struct(3, lengths, at, types, &made));
	OK(MPI_Type_create_resized(made, 0, sizeof(struct particle), &resized));
	OK(MPI_Type_commit(&resized));
	OK(MPI_Type_free(&made));
	return resized;
}

/* Each rank sends columns of a matrix and receives rows. */
static void transpose(int n) {
	int next = (rank + 1) % size, last = (rank + size - 1) % size, i, j;
	double *matrix = malloc(sizeof(double) * n * n), *got = malloc(sizeof(double) * n * n);
	MPI_Datatype column, columns;
	MPI_Status status;
	int count;
	for (i = 0; i < n * n; i++)
		matrix[i] = rank * 1000 + i, got[i] = -1;
	OK(MPI_Type_vector(n, 1, n, MPI_DOUBLE, &column));
	OK(MPI_Type_create_resized(column, 0, sizeof(double), &columns));
	OK(MPI_Type_commit(&columns));
	OK(MPI_Sendrecv(matrix, n, columns, next, 1, got, n * n, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &status));
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			CHECK(got[i * n + j] == last * 1000 + j * n + i);
	OK(MPI_Get_count(&status, MPI_DOUBLE, &count));
	CHECK(count == n * n);
	OK(MPI_Get_count(&status, columns, &count));
	CHECK(count == n);
	OK(MPI_Type_free(&columns));
	OK(MPI_Type_free(&column));
	free(matrix);
	free(got);
}

static void particles(void) {
	MPI_Datatype type = particle_type();
	struct particle mine[50], all[50];
	int i, next = (rank + 1) % size, last = (rank + size - 1) % size, elements;
	MPI_Request request;
	MPI_Status status;
	memset(mine, 0, sizeof mine);
	memset(all, 0x55, sizeof all);
	for (i = 0; i < 50; i++) {
		mine[i].kind = 'a' + rank;
		mine[i].position[2] = i;
		mine[i].id = rank * 100 + i;
	}
	OK(MPI_Irecv(all, 50, type, last, 2, MPI_COMM_WORLD, &request));
	OK(MPI_Send(mine, 20, type, next, 2, MPI_COMM_WORLD));
	OK(MPI_Type_free(&type)); /* the receive goes on with it */
	OK(MPI_Wait(&request, &status));
	for (i = 0; i < 20; i++)
		CHECK(all[i].kind == 'a' + last && all[i].position[2] == i && all[i].id == last * 100 + i);
	CHECK(((char *)&all[0])[1] == 0x55 && all[20].kind == 0x55);
	type = particle_type();
	OK(MPI_Get_elements(&status, type, &elements));
	CHECK(elements == 100);
	OK(MPI_Bcast(mine, 50, type, 0, MPI_COMM_WORLD));
	CHECK(mine[49].id == 49 && mine[49].kind == 'a');
	OK(MPI_Type_free(&type));
}

/* Absolute addresses, and a message in two pieces by MPI_Pack. */
static void pieces(void) {
	int a[3] = {1, 2, 3}, b[2] = {4, 5}, lengths[2] = {3, 2}, got[5] = {0}, position = 0, n;
	char packed[64];
	MPI_Aint at[2];
	MPI_Datatype both;
	MPI_Request request;
	OK(MPI_Get_address(a, &at[0]));
	OK(MPI_Get_address(b, &at[1]));
	OK(MPI_Type_create_hindexed(2, lengths, at, MPI_INT, &both));
	OK(MPI_Type_commit(&both));
	OK(MPI_Isend(MPI_BOTTOM, 1, both, rank, 3, MPI_COMM_WORLD, &request));
	OK(MPI_Recv(got, 5, MPI_INT, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
	CHECK(got[0] == 1 && got[2] == 3 && got[3] == 4 && got[4] == 5);
	OK(MPI_Pack_size(5, MPI_INT, MPI_COMM_WORLD, &n));
	CHECK(n <= 64);
	OK(MPI_Pack(a, 3, MPI_INT, packed, 64, &position, MPI_COMM_WORLD));
	OK(MPI_Pack(b, 2, MPI_INT, packed, 64, &position, MPI_COMM_WORLD));
	memset(got, 0, sizeof got);
	OK(MPI_Isend(packed, position, MPI_PACKED, rank, 4, MPI_COMM_WORLD, &request));
	OK(MPI_Recv(got, 5, MPI_INT, rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
	CHECK(got[0] == 1 && got[4] == 5);
	OK(MPI_Type_free(&both));
}

static int code_of(int call) {
	int class;
	OK(MPI_Error_class(call, &class));
	return class;
}

static void mistakes(void) {
	MPI_Datatype made, freed;
	int x = 0;
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Type_contiguous(2, MPI_INT, &made));
	CHECK(code_of(MPI_Send(&x, 1, made, rank, 0, MPI_COMM_WORLD)) == MPI_ERR_TYPE);
	freed = made;
	OK(MPI_Type_free(&made));
	CHECK(made == MPI_DATATYPE_NULL);
	CHECK(code_of(MPI_Type_commit(&freed)) == MPI_ERR_TYPE);
	CHECK(code_of(MPI_Send(&x, 1, MPI_DATATYPE_NULL, rank, 0, MPI_COMM_WORLD)) == MPI_ERR_TYPE);
	CHECK(code_of(MPI_Send(&x, 1, (MPI_Datatype)MPI_COMM_WORLD, rank, 0, MPI_COMM_WORLD)) == MPI_ERR_TYPE);
	CHECK(code_of(MPI_Send(&x, -1, MPI_INT, rank, 0, MPI_COMM_WORLD)) == MPI_ERR_COUNT);
	CHECK(code_of(MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD)) == MPI_ERR_OP);
}

/* The size of each of many types, while others come and go. A handle that was freed has none. */
static void sizes(void) {
	enum { MANY = 1000 };
	static MPI_Datatype all[MANY];
	MPI_Datatype old;
	int n, i;
	MPI_Count large;
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	for (i = 0; i < MANY; i++)
		OK(MPI_Type_contiguous(i, MPI_SHORT, &all[i]));
	for (int round = 0; round < 3; round++)
		for (i = 0; i < MANY; i++) {
			OK(MPI_Type_size(all[i], &n));
			OK(MPI_Type_size_x(all[i], &large));
			CHECK(n == (i + round) * 2 && large == n);
			old = all[i];
			OK(MPI_Type_free(&all[i]));
			n = -7;
			CHECK(MPI_Type_size(old, &n) != MPI_SUCCESS && n == -7);
			OK(MPI_Type_contiguous(i + round + 1, MPI_SHORT, &all[i]));
			CHECK(all[i] != old);
		}
	for (i = 0; i < MANY; i++)
		OK(MPI_Type_free(&all[i]));
	OK(MPI_Type_contiguous(1 << 30, MPI_LONG, &old));
	OK(MPI_Type_size(old, &n));
	OK(MPI_Type_size_x(old, &large));
	CHECK(n == MPI_UNDEFINED && large == (MPI_Count)8 << 30);
	OK(MPI_Type_size(MPI_DOUBLE_INT, &n));
	CHECK(n == 12);
	CHECK(MPI_Type_size(MPI_INT, NULL) != MPI_SUCCESS);
	CHECK(MPI_Type_size(MPI_DATATYPE_NULL, &n) != MPI_SUCCESS);
	OK(MPI_Type_free(&old));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

int main(void) {
	join(MPI_THREAD_SINGLE);
	transpose(1);
	transpose(5);
	transpose(60);
	particles();
	pieces();
	mistakes();
	sizes();
	OK(MPI_Finalize());
	return 0;
}
