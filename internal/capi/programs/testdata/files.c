/* Calls of files: views, pointers, all ways to access, representations, errors. The argument is a folder. */
#include "program.h"
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char name[4096];

static int class_of(int code) {
	int class;
	OK(MPI_Error_class(code, &class));
	return class;
}

#define FAILS(class, call) CHECK(class_of(call) == (class))

static MPI_File open_as(int mode) {
	MPI_File f;
	OK(MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &f));
	return f;
}

static void done(MPI_Status *status, int bytes) {
	int n;
	OK(MPI_Get_count(status, MPI_BYTE, &n));
	CHECK(n == bytes);
}

/* interleaved: each rank has every size-th block, of any length. */
static void interleaved(int block, int blocks) {
	MPI_File f;
	MPI_Info info; /* another one on each rank: all take that of the first */
	char bytes[20];
	snprintf(bytes, sizeof bytes, "%d", (rank + 1) << 16);
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "cb_buffer_size", bytes));
	OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &f));
	OK(MPI_Info_free(&info));
	MPI_Datatype piece, type;
	MPI_Status status;
	MPI_Offset length, at;
	int n = block * blocks;
	unsigned char *out = malloc(n), *in = calloc(n, 1);
	for (int i = 0; i < n; i++)
		out[i] = (unsigned char)(rank * 37 + i * 7 + i / 251);
	OK(MPI_Type_contiguous(block, MPI_BYTE, &piece));
	OK(MPI_Type_create_resized(piece, 0, (MPI_Aint)block * size, &type));
	OK(MPI_Type_commit(&type));
	OK(MPI_File_set_view(f, (MPI_Offset)rank * block, MPI_BYTE, type, "native", MPI_INFO_NULL));
	OK(MPI_File_write_all(f, out, n, MPI_BYTE, &status));
	done(&status, n);
	OK(MPI_File_get_byte_offset(f, block, &at));
	CHECK(at == (MPI_Offset)(size + rank) * block);
	OK(MPI_File_seek(f, -n, MPI_SEEK_CUR));
	OK(MPI_File_read(f, in, n, MPI_BYTE, &status));
	done(&status, n);
	CHECK(memcmp(in, out, n) == 0);
	memset(in, 0, n);
	OK(MPI_File_read_at_all(f, 0, in, n, MPI_BYTE, &status));
	done(&status, n);
	CHECK(memcmp(in, out, n) == 0);
	OK(MPI_File_get_size(f, &length));
	CHECK(length == (MPI_Offset)n * size);
	OK(MPI_File_read_at_all(f, n - 1, in, 2, MPI_BYTE, &status)); /* the last byte, and none */
	done(&status, 1);
	OK(MPI_File_close(&f));
	CHECK(f == MPI_FILE_NULL);
	FAILS(MPI_ERR_NO_SUCH_FILE, MPI_File_delete(name, MPI_INFO_NULL));
	OK(MPI_Type_free(&type));
	OK(MPI_Type_free(&piece));
	free(in), free(out);
}

/* pointers: the rank's own, and the shared one. */
static void pointers(void) {
	MPI_File f = open_as(MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
	MPI_Status status;
	MPI_Request request;
	MPI_Offset at;
	int numbers[100], got[100], flag;
	for (int i = 0; i < 100; i++)
		numbers[i] = rank * 1000 + i;
	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	OK(MPI_File_write_ordered(f, numbers, rank + 1, MPI_INT, &status));
	done(&status, 4 * (rank + 1));
	OK(MPI_File_get_position_shared(f, &at));
	CHECK(at == size * (size + 1) / 2);
	OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	OK(MPI_File_read_ordered_begin(f, got, rank + 1, MPI_INT));
	OK(MPI_File_read_ordered_end(f, got, &status));
	done(&status, 4 * (rank + 1));
	CHECK(memcmp(got, numbers, 4 * (rank + 1)) == 0);
	OK(MPI_File_write_shared(f, numbers, 10, MPI_INT, &status));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_File_get_position_shared(f, &at));
	CHECK(at == size * (size + 1) / 2 + 10 * size);
	OK(MPI_File_iwrite_at(f, 1000 + 100 * rank, numbers, 100, MPI_INT, &request));
	OK(MPI_Wait(&request, &status));
	done(&status, 400);
	OK(MPI_File_seek(f, 1000 + 100 * rank, MPI_SEEK_SET));
	OK(MPI_File_iread_all(f, got, 100, MPI_INT, &request));
	do
		OK(MPI_Test(&request, &flag, &status));
	while (!flag);
	done(&status, 400);
	CHECK(memcmp(got, numbers, 400) == 0);
	OK(MPI_File_get_position(f, &at));
	CHECK(at == 1100 + 100 * rank);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_File_seek(f, -1, MPI_SEEK_END));
	OK(MPI_File_read(f, got, 2, MPI_INT, &status));
	done(&status, 4);
	CHECK(got[0] == (size - 1) * 1000 + 99);
	OK(MPI_File_write_at_all_begin(f, rank, numbers, 1, MPI_INT));
	FAILS(MPI_ERR_OTHER, MPI_File_write_at_all(f, 0, numbers, 1, MPI_INT, &status));
	FAILS(MPI_ERR_OTHER, MPI_File_close(&f));
	OK(MPI_File_write_at_all_end(f, numbers, &status));
	done(&status, 4);
	OK(MPI_File_set_atomicity(f, 1));
	OK(MPI_File_get_atomicity(f, &flag));
	CHECK(flag == 1);
	OK(MPI_File_write_at_all(f, rank, numbers, 1, MPI_INT, &status));
	OK(MPI_File_sync(f));
	OK(MPI_File_set_size(f, 12));
	OK(MPI_File_preallocate(f, 100));
	OK(MPI_File_get_size(f, &at));
	CHECK(at == 100);
	OK(MPI_File_close(&f));
}

/* representations: numbers are stored as another machine would. */
static int calls;

static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *extra) {
	int bytes;
	OK(MPI_Type_size(type, &bytes));
	*extent = 2 * bytes;
	return MPI_SUCCESS;
}

static int spread(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *extra) {
	CHECK(extra == &calls && type == MPI_INT && position == 0);
	for (int i = 0; i < count; i++)
		((long long *)file)[i] = ((int *)user)[i];
	calls++;
	return MPI_SUCCESS;
}

static int narrow(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *extra) {
	for (int i = 0; i < count; i++)
		((int *)user)[i] = (int)((long long *)file)[i];
	calls++;
	return MPI_SUCCESS;
}

static void representations(void) {
	MPI_File f = open_as(MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
	MPI_Status status;
	MPI_Aint extent;
	MPI_Offset disp;
	MPI_Datatype etype, filetype;
	char rep[MPI_MAX_DATAREP_STRING];
	unsigned char bytes[8];
	int number = 0x01020304 + rank, back = 0;
	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
	OK(MPI_File_write_at_all(f, rank, &number, 1, MPI_INT, &status));
	done(&status, 4);
	OK(MPI_File_read_at_all(f, rank, &back, 1, MPI_INT, &status));
	CHECK(back == number);
	FAILS(MPI_ERR_NO_MEM, MPI_File_read_at_all_c(f, 0, &back, rank ? 1 : (MPI_Count)1 << 50, MPI_INT, &status));
	OK(MPI_File_set_view(f, 4 * rank, MPI_BYTE, MPI_BYTE, "internal", MPI_INFO_NULL));
	OK(MPI_File_read_at(f, 0, bytes, 4, MPI_BYTE, &status));
	CHECK(bytes[0] == 1 && bytes[1] == 2 && bytes[2] == 3 && bytes[3] == 4 + rank);
	OK(MPI_File_get_view(f, &disp, &etype, &filetype, rep));
	CHECK(disp == 4 * rank && etype == MPI_BYTE && filetype == MPI_BYTE && strcmp(rep, "internal") == 0);
	OK(MPI_Register_datarep("twice", narrow, spread, extent_of, &calls));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	FAILS(MPI_ERR_DUP_DATAREP, MPI_Register_datarep("twice", narrow, spread, extent_of, NULL));
	OK(MPI_File_set_view(f, 64, MPI_INT, MPI_INT, "twice", MPI_INFO_NULL));
	OK(MPI_File_get_type_extent(f, MPI_INT, &extent));
	CHECK(extent == 8);
	OK(MPI_File_write_at_all(f, rank, &number, 1, MPI_INT, &status));
	done(&status, 4);
	back = 0;
	OK(MPI_File_read_at_all(f, rank, &back, 1, MPI_INT, &status));
	CHECK(back == number && calls == 2);
	FAILS(MPI_ERR_UNSUPPORTED_DATAREP, MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "none", MPI_INFO_NULL));
	OK(MPI_File_close(&f));
}

/* other_call: rank 0 and the others make different collective calls. All get an error, and are in step afterwards. */
enum { CALLS = 13 };

static int other_call(MPI_File f, int which) {
	static char bytes[100];
	MPI_File g = f;
	MPI_Status status;
	switch (which) {
	case 0: return MPI_File_write_at_all(f, 100 * rank, bytes, 100, MPI_BYTE, &status);
	case 1: return MPI_File_read_at_all(f, 0, bytes, 100, MPI_BYTE, &status);
	case 2: return MPI_File_write_all(f, bytes, 10, MPI_BYTE, &status);
	case 3: return MPI_File_write_ordered(f, bytes, 10, MPI_BYTE, &status);
	case 4: return MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	case 5: return MPI_File_set_size(f, 100);
	case 6: return MPI_File_preallocate(f, 100);
	case 7: return MPI_File_sync(f);
	case 8: return MPI_File_set_atomicity(f, 0);
	case 9: return MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
	case 10: return MPI_File_set_info(f, MPI_INFO_NULL);
	case 11: return MPI_File_read_ordered_begin(f, bytes, 10, MPI_BYTE);
	default: return MPI_File_close(&g);
	}
}

static void mismatches(void) {
	MPI_File f = open_as(MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
	for (int i = 0; i < CALLS && size > 1; i++)
		FAILS(MPI_ERR_NOT_SAME, other_call(f, rank ? i : (i + 1) % CALLS));
	CHECK(MPI_File_set_info(f, rank ? MPI_INFO_NULL : (MPI_Info)MPI_COMM_WORLD) != MPI_SUCCESS);
	OK(other_call(f, 0));
	OK(MPI_File_close(&f));
}

/* places: what is no file, a folder that changes, memory that is not there. */
static void places(const char *folder) {
	MPI_File f;
	MPI_Status status;
	char here[4096], pipe[4100], text[100];
	snprintf(pipe, sizeof pipe, "%s/pipe", folder);
	if (rank == 0)
		OK(mkfifo(pipe, 0600));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	FAILS(MPI_ERR_BAD_FILE, MPI_File_open(MPI_COMM_WORLD, pipe, MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
	if (rank == 0)
		OK(unlink(pipe));
	if (size > 1) { /* a name of its own for each rank */
		snprintf(pipe, sizeof pipe, "%s/file%d", folder, rank);
		MPI_File mine;
		int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
		FAILS(MPI_ERR_NOT_SAME, MPI_File_open(MPI_COMM_WORLD, pipe, mode, MPI_INFO_NULL, &f));
		OK(MPI_File_open(MPI_COMM_SELF, pipe, mode, MPI_INFO_NULL, &mine));
		FAILS(MPI_ERR_NOT_SAME, MPI_File_open(MPI_COMM_WORLD, pipe, MPI_MODE_RDWR, MPI_INFO_NULL, &f));
		OK(MPI_File_close(&mine));
	}
	OK(MPI_File_open(MPI_COMM_WORLD, "/proc/self/status", MPI_MODE_RDONLY, MPI_INFO_NULL, &f)); /* has no length */
	OK(MPI_File_read_at_all(f, rank, text, 50, MPI_BYTE, &status));
	done(&status, 50);
	OK(MPI_File_close(&f));
	CHECK(getcwd(here, sizeof here) && chdir(folder) == 0);
	OK(MPI_File_open(MPI_COMM_WORLD, "file", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
		&f));
	CHECK(chdir(here) == 0);
	size_t n = 64 << 10; /* the second half is not there */
	char *memory = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED && munmap(memory + n / 2, n / 2) == 0);
	MPI_Datatype every;
	OK(MPI_Type_create_resized(MPI_INT, 0, 4 * size, &every));
	OK(MPI_Type_commit(&every));
	OK(MPI_File_set_view(f, 4 * rank, MPI_INT, every, "native", MPI_INFO_NULL));
	int there = (int)n / 8, count = rank == size - 1 ? 2 * there : there;
	FAILS(MPI_ERR_BUFFER, MPI_File_write_at_all(f, 0, memory, count, MPI_INT, &status));
	OK(MPI_File_write_at_all(f, 0, memory, there, MPI_INT, &status));
	OK(munmap(memory, n / 2));
	OK(MPI_Type_free(&every));
	OK(MPI_File_close(&f));
}

static int handled;

static void handler(MPI_File *f, int *code, ...) {
	handled = *code;
}

static void errors(void) {
	MPI_File f;
	MPI_Errhandler h;
	MPI_Info info;
	MPI_Status status;
	int mode, flag, number = 0;
	char value[100];
	FAILS(MPI_ERR_NO_SUCH_FILE, MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
	FAILS(MPI_ERR_AMODE, MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &f));
	FAILS(MPI_ERR_AMODE, MPI_File_open(MPI_COMM_WORLD, name, 0, MPI_INFO_NULL, &f));
	if (size > 1)
		FAILS(MPI_ERR_NOT_SAME, MPI_File_open(MPI_COMM_WORLD, name, rank ? MPI_MODE_RDONLY : MPI_MODE_RDWR,
			MPI_INFO_NULL, &f));
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "cb_buffer_size", "1048576"));
	OK(MPI_Info_set(info, "romio_no_indep_rw", "true"));
	OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &f));
	OK(MPI_Info_free(&info));
	OK(MPI_File_get_info(f, &info));
	OK(MPI_Info_get(info, "cb_buffer_size", 99, value, &flag));
	CHECK(flag && strcmp(value, "1048576") == 0);
	OK(MPI_Info_get(info, "romio_no_indep_rw", 99, value, &flag));
	CHECK(!flag); /* it changes nothing */
	OK(MPI_Info_free(&info));
	OK(MPI_File_get_amode(f, &mode));
	CHECK(mode == (MPI_MODE_CREATE | MPI_MODE_WRONLY));
	FAILS(MPI_ERR_ACCESS, MPI_File_read_all(f, &number, 1, MPI_INT, &status));
	if (size > 1) {
		MPI_Datatype element = rank ? MPI_INT : MPI_DOUBLE;
		FAILS(MPI_ERR_NOT_SAME, MPI_File_set_view(f, 0, element, element, "native", MPI_INFO_NULL));
	}
	FAILS(MPI_ERR_ARG, MPI_File_write_at(f, -1, &number, 1, MPI_INT, &status));
	FAILS(MPI_ERR_ARG, MPI_File_seek(f, -1, MPI_SEEK_SET));
	FAILS(MPI_ERR_ARG, MPI_File_seek(f, 0, 12345));
	FAILS(MPI_ERR_TYPE, MPI_File_write_at(f, 0, &number, 1, MPI_DATATYPE_NULL, &status));
	OK(MPI_File_write_at_all(f, rank, &number, 1, MPI_BYTE, &status));
	CHECK(MPI_File_write_at_all(f, rank, &number, 1, rank ? MPI_BYTE : MPI_DATATYPE_NULL, &status) != MPI_SUCCESS);
	if (size > 1) {
		int bytes = rank ? MPI_File_write_at_all(f, rank, &number, 1, MPI_BYTE, &status)
				 : MPI_File_write_all(f, &number, 1, MPI_BYTE, &status);
		FAILS(MPI_ERR_NOT_SAME, bytes);
		FAILS(MPI_ERR_NOT_SAME, MPI_File_set_view(f, 0, MPI_INT, MPI_INT, rank ? "native" : "external32",
			MPI_INFO_NULL));
	}
	MPI_Request request;
	FAILS(MPI_ERR_TYPE, MPI_File_iwrite_at(f, 0, &number, 1, MPI_DATATYPE_NULL, &request));
	CHECK(request == MPI_REQUEST_NULL);
	CHECK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, rank ? "native" : "none", MPI_INFO_NULL) != MPI_SUCCESS);
	struct rlimit all, some;
	OK(getrlimit(RLIMIT_FSIZE, &all));
	some = (struct rlimit){1 << 20, all.rlim_max};
	OK(setrlimit(RLIMIT_FSIZE, &some));
	FAILS(MPI_ERR_NO_SPACE, MPI_File_write_at_all(f, (1 << 20) + rank, &number, 1, MPI_BYTE, &status));
	FAILS(MPI_ERR_NO_SPACE, MPI_File_set_size(f, 2 << 20));
	FAILS(MPI_ERR_NO_SPACE, MPI_File_preallocate(f, 2 << 20));
	OK(setrlimit(RLIMIT_FSIZE, &all));
	OK(MPI_File_create_errhandler(handler, &h));
	OK(MPI_File_set_errhandler(f, h));
	CHECK(MPI_File_read(f, &number, 1, MPI_INT, &status) != MPI_SUCCESS && class_of(handled) == MPI_ERR_ACCESS);
	handled = 0;
	OK(MPI_File_call_errhandler(f, MPI_ERR_IO));
	CHECK(handled == MPI_ERR_IO);
	OK(MPI_Errhandler_free(&h));
	OK(MPI_File_close(&f));
	FAILS(MPI_ERR_FILE, MPI_File_write(f, &number, 1, MPI_INT, &status));
	FAILS(MPI_ERR_FILE_EXISTS, MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR,
		MPI_INFO_NULL, &f));
	f = open_as(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
	FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_read_at(f, 0, &number, 1, MPI_INT, &status));
	FAILS(MPI_ERR_READ_ONLY, MPI_File_write_shared(f, &number, 1, MPI_INT, &status));
	FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	OK(MPI_File_close(&f));
	f = open_as(MPI_MODE_RDWR | MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE);
	MPI_Offset at;
	OK(MPI_File_get_position(f, &at));
	CHECK(at == size);
	OK(MPI_File_close(&f));
}

int main(int argc, char **argv) {
	join(MPI_THREAD_SINGLE);
	CHECK(argc == 2);
	snprintf(name, sizeof name, "%s/file", argv[1]);
	errors();
	int blocks[] = {1, 3, 64, 500, 4096, 70000};
	for (int i = 0; i < 6; i++)
		interleaved(blocks[i], blocks[i] > 1000 ? 20 : 3000);
	pointers();
	representations();
	mismatches();
	places(argv[1]);
	OK(MPI_Finalize());
	return 0;
}
