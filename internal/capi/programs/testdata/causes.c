/* The string of an error says its cause. If one rank makes a collective call on a file wrong, all ranks return the
 * class of its error. */
#include "program.h"

static void says(int code, int class, const char *cause) {
	char text[MPI_MAX_ERROR_STRING];
	int length, of;
	OK(MPI_Error_class(code, &of));
	OK(MPI_Error_string(code, text, &length));
	if (of != class || strstr(text, cause) == NULL || length != (int)strlen(text)) {
		fprintf(stderr, "class %d, not %d, or no \"%s\": %s\n", of, class, cause, text);
		exit(77);
	}
}

static void buffers(void) {
	void *bad[] = {MPI_IN_PLACE, (void *)16};
	const char *cause[] = {"MPI_IN_PLACE is not possible here", "no memory at the address of the buffer, 0x10"};
	MPI_Request request;
	for (int i = 0; i < 2; i++) {
		int next = (rank + 1) % size, all[4];
		says(MPI_Send(bad[i], 1, MPI_INT, next, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER, cause[i]);
		says(MPI_Isend(bad[i], 1, MPI_INT, next, 1, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER, cause[i]);
		says(MPI_Ssend(bad[i], 9000, MPI_INT, next, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER, cause[i]);
		says(MPI_Bsend(bad[i], 1, MPI_INT, next, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER, cause[i]);
		says(MPI_Send_init(bad[i], 1, MPI_INT, next, 1, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER, cause[i]);
		says(MPI_Recv(bad[i], 1, MPI_INT, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER, cause[i]);
		says(MPI_Recv(bad[i], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER,
		     cause[i]);
		says(MPI_Irecv(bad[i], 1, MPI_INT, next, 1, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER, cause[i]);
		says(MPI_Bcast(bad[i], 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER, cause[i]);
		says(MPI_Ibcast(bad[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER, cause[i]);
		says(MPI_Allreduce(all, bad[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER, cause[i]);
		says(MPI_Alltoall(all, 1, MPI_INT, bad[i], 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER, cause[i]);
	}
}

int main(int argc, char **argv) {
	join(MPI_THREAD_SINGLE);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	char text[MPI_MAX_ERROR_STRING];
	int x[2] = {0}, length;
	OK(MPI_Error_string(MPI_ERR_RANK, text, &length));
	CHECK(strstr(text, "last") == NULL);
	says(MPI_Send(x, 1, MPI_INT, 99, 1, MPI_COMM_WORLD), MPI_ERR_RANK, "MPI_Send on MPI_COMM_WORLD: send to rank 99");
	says(MPI_Send(x, 1, MPI_INT, 77, 1, MPI_COMM_WORLD), MPI_ERR_RANK, "rank 77");
	buffers();

	MPI_Request request;
	MPI_Status status;
	OK(MPI_Irecv(x, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &request));
	OK(MPI_Send(x, 2, MPI_INT, rank, 5, MPI_COMM_WORLD));
	says(MPI_Waitall(1, &request, &status), MPI_ERR_IN_STATUS, "MPI_Waitall");
	says(status.MPI_ERROR, MPI_ERR_TRUNCATE, "8 bytes");

	MPI_File file;
	says(MPI_File_open(MPI_COMM_WORLD, "/nowhere/at all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_NO_SUCH_FILE,
	     "/nowhere/at all");
	char name[4096];
	snprintf(name, sizeof name, "ufs:%s", argv[1]);
	OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
	OK(MPI_File_close(&file));
	OK(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &file));
	int n = rank == 1 ? -1 : 1;
	says(MPI_File_write_at_all(file, 0, x, n, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_COUNT, rank == 1 ? "-1" : "rank 1");
	MPI_Datatype type = rank == 1 ? MPI_DATATYPE_NULL : MPI_INT;
	says(MPI_File_set_view(file, 0, type, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_TYPE, rank == 1 ? "" : "rank 1");
	says(MPI_File_read_at_all(file, 0, x, 1, type, MPI_STATUS_IGNORE), MPI_ERR_TYPE, rank == 1 ? "" : "rank 1");
	OK(MPI_File_close(&file));
	OK(MPI_Finalize());
	return argc < 2;
}
