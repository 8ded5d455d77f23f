/* Files that cannot be read or written, or are large. Arguments: what is done, the file, and the class of errors. */
#include "program.h"

static int class_of(int code) {
	int class;
	OK(MPI_Error_class(code, &class));
	return class;
}

/* Every way to write fails on all ranks, or only on those that write: with this class. Then the same of reads. */
static void fails(const char *name, int class, int writes) {
	enum { N = 3000, BLOCK = 7 };
	static char out[N * BLOCK];
	MPI_File f;
	MPI_Datatype piece, type, shift;
	MPI_Request request;
	MPI_Status status;
	OK(MPI_File_open(MPI_COMM_WORLD, name, writes ? MPI_MODE_RDWR : MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
	OK(MPI_Type_contiguous(BLOCK, MPI_BYTE, &piece));
	OK(MPI_Type_create_resized(piece, 0, (MPI_Aint)BLOCK * size, &type));
	OK(MPI_Type_create_resized(piece, 0, 2 * BLOCK * size, &shift)); /* with holes */
	OK(MPI_Type_commit(&type));
	OK(MPI_Type_commit(&shift));
	MPI_Datatype views[] = {MPI_BYTE, type, shift};
	for (int i = 0; i < 3; i++) {
		OK(MPI_File_set_view(f, 4096 + rank * BLOCK, MPI_BYTE, views[i], "native", MPI_INFO_NULL));
		int n = N * BLOCK, codes[8], count = 0;
		if (writes) {
			codes[count++] = MPI_File_write(f, out, n, MPI_BYTE, &status);
			codes[count++] = MPI_File_write_at(f, 0, out, n, MPI_BYTE, &status);
			codes[count++] = MPI_File_write_all(f, out, n, MPI_BYTE, &status);
			codes[count++] = MPI_File_write_at_all(f, 0, out, n, MPI_BYTE, &status);
			codes[count++] = MPI_File_write_at_all_begin(f, 0, out, n, MPI_BYTE);
			codes[count++] = MPI_File_iwrite_at_all(f, 0, out, n, MPI_BYTE, &request);
			if (codes[count - 1] == MPI_SUCCESS)
				codes[count - 1] = MPI_Wait(&request, &status);
			/* one rank alone writes: all are told */
			codes[count++] = MPI_File_write_at_all(f, 0, out, rank == 0 ? n : 0, MPI_BYTE, &status);
		} else {
			codes[count++] = MPI_File_read(f, out, n, MPI_BYTE, &status);
			codes[count++] = MPI_File_read_at(f, 0, out, n, MPI_BYTE, &status);
			codes[count++] = MPI_File_read_all(f, out, n, MPI_BYTE, &status);
			codes[count++] = MPI_File_read_at_all(f, 0, out, n, MPI_BYTE, &status);
			codes[count++] = MPI_File_read_at_all_begin(f, 0, out, n, MPI_BYTE);
		}
		for (int k = 0; k < count; k++)
			if (codes[k] == MPI_SUCCESS || class_of(codes[k]) != class) {
				char text[MPI_MAX_ERROR_STRING] = "none";
				int length;
				if (codes[k] != MPI_SUCCESS)
					MPI_Error_string(codes[k], text, &length);
				fprintf(stderr, "rank %d, view %d, call %d: %s\n", rank, i, k, text);
				exit(1);
			}
	}
	OK(MPI_Type_free(&type));
	OK(MPI_Type_free(&shift));
	OK(MPI_Type_free(&piece));
	OK(MPI_File_close(&f));
}

/* A sparse file of 6 GiB and more: every rank writes in each GiB. */
static void large(const char *name) {
	const MPI_Offset gib = (MPI_Offset)1 << 30;
	MPI_File f;
	MPI_Datatype piece, type;
	MPI_Status status;
	MPI_Offset length;
	int out[7], in[7];
	int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
	OK(MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &f));
	OK(MPI_Type_contiguous(1, MPI_INT, &piece));
	OK(MPI_Type_create_resized(piece, 0, gib, &type));
	OK(MPI_Type_commit(&type));
	OK(MPI_File_set_view(f, 4 * rank, MPI_INT, type, "native", MPI_INFO_NULL));
	for (int collective = 0; collective < 2; collective++) {
		for (int i = 0; i < 7; i++)
			out[i] = 1000 * collective + 10 * rank + i, in[i] = -1;
		OK(collective ? MPI_File_write_at_all(f, 0, out, 7, MPI_INT, &status)
			      : MPI_File_write_at(f, 0, out, 7, MPI_INT, &status));
		OK(MPI_Barrier(MPI_COMM_WORLD));
		OK(collective ? MPI_File_read_at(f, 0, in, 7, MPI_INT, &status)
			      : MPI_File_read_at_all(f, 0, in, 7, MPI_INT, &status));
		CHECK(memcmp(in, out, sizeof in) == 0);
		OK(MPI_File_get_size(f, &length));
		CHECK(length == 6 * gib + 4 * size);
	}
	OK(MPI_File_set_view(f, 6 * gib - 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	OK(MPI_File_seek_shared(f, 0, MPI_SEEK_END));
	OK(MPI_File_write_ordered(f, out, 1, MPI_INT, &status));
	OK(MPI_File_read_at_all(f, 1 + size + rank, in, 1, MPI_INT, &status));
	CHECK(in[0] == out[0]);
	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	OK(MPI_File_read_at_all(f, 5 * gib / 4 - 1, in, 2, MPI_INT, &status)); /* a hole, and rank 0's */
	CHECK(in[0] == 0 && in[1] == 1005);
	OK(MPI_Type_free(&type));
	OK(MPI_Type_free(&piece));
	OK(MPI_File_close(&f));
}

int main(int argc, char **argv) {
	join(MPI_THREAD_SINGLE);
	CHECK(argc >= 3);
	if (strcmp(argv[1], "large") == 0)
		large(argv[2]);
	else
		fails(argv[2], strcmp(argv[3], "space") == 0 ? MPI_ERR_NO_SPACE : MPI_ERR_IO, strcmp(argv[1], "write") == 0);
	OK(MPI_Finalize());
	return 0;
}
