// A program by the C++ interface of MPI 2: attributes, operators and error handlers of C++.
#include <mpi.h>

#include <cstdio>
#include <string>

enum { KEYS = 6 };

static int errors, handled, deleted;

#define CHECK(what) \
	if (!(what)) \
	errors++, std::printf("line %d: %s\n", __LINE__, #what)

static void add(const void *in, void *inout, int n, const MPI::Datatype &type) {
	for (int i = 0; type == MPI::INT && i < n; i++)
		static_cast<int *>(inout)[i] += static_cast<const int *>(in)[i];
}

static int copy(const MPI::Comm &, int, void *state, void *in, void *out, bool &flag) {
	*static_cast<int **>(out) = static_cast<int *>(in) + *static_cast<int *>(state);
	flag = true;
	return MPI::SUCCESS;
}

static int drop(MPI::Comm &comm, int, void *value, void *state) {
	CHECK(comm != MPI::COMM_NULL);
	deleted += *static_cast<int *>(value) * *static_cast<int *>(state);
	return MPI::SUCCESS;
}

static void of_comm(MPI::Comm &comm, int *code, ...) {
	CHECK(comm == MPI::COMM_WORLD && MPI::Get_error_class(*code) == MPI::ERR_RANK);
	handled++;
}

static void of_win(MPI::Win &win, int *code, ...) {
	CHECK(win != MPI::WIN_NULL && MPI::Get_error_class(*code) == MPI::ERR_RANK);
	handled += 10;
}

static void of_file(MPI::File &file, int *code, ...) {
	CHECK(file != MPI::FILE_NULL && MPI::Get_error_class(*code) == MPI::ERR_OTHER);
	handled += 100;
}

static void attributes() {
	int step = 1, values[] = {10, 20}, keys[KEYS];
	MPI::Op op;
	op.Init(add, true);
	for (int i = 0; i < KEYS; i++)
		keys[i] = MPI::Comm::Create_keyval(copy, drop, &step);
	int size = MPI::COMM_WORLD.Get_size(), one = 1, sum = 0;
	MPI::COMM_WORLD.Allreduce(&one, &sum, 1, MPI::INT, op);
	CHECK(sum == size);
	op.Free();
	void *value;
	MPI::COMM_WORLD.Set_attr(keys[0], values);
	MPI::Intracomm dup = MPI::COMM_WORLD.Dup();
	CHECK(dup.Get_attr(keys[0], &value) && value == values + 1);
	dup.Free();
	CHECK(deleted == 20);
	MPI::COMM_WORLD.Delete_attr(keys[0]);
	CHECK(deleted == 30);
	for (int i = 0; i < KEYS; i++)
		MPI::Comm::Free_keyval(keys[i]);
}

static void handlers(const char *name) {
	int byte;
	MPI::Errhandler h = MPI::Comm::Create_errhandler(of_comm);
	MPI::COMM_WORLD.Set_errhandler(h);
	h.Free();
	MPI_Send(&byte, 1, MPI_INT, -77, 0, MPI_COMM_WORLD);
	CHECK(handled == 1);
	int thrown = 0;
	MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
	try {
		MPI::COMM_WORLD.Send(&byte, 1, MPI::INT, -77, 0);
	} catch (MPI::Exception &e) {
		thrown = e.Get_error_class();
	}
	CHECK(thrown == MPI::ERR_RANK && handled == 1);
	MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_ARE_FATAL);

	MPI::Win win = MPI::Win::Create(&byte, 1, 1, MPI::INFO_NULL, MPI::COMM_WORLD);
	h = MPI::Win::Create_errhandler(of_win);
	win.Set_errhandler(h);
	h.Free();
	MPI_Put(&byte, 1, MPI_BYTE, -77, 0, 1, MPI_BYTE, win);
	CHECK(handled == 11);
	win.Free();

	const int mode = MPI::MODE_CREATE | MPI::MODE_RDWR | MPI::MODE_DELETE_ON_CLOSE;
	MPI::File file = MPI::File::Open(MPI::COMM_WORLD, name, mode, MPI::INFO_NULL);
	h = MPI::File::Create_errhandler(of_file);
	file.Set_errhandler(h);
	h.Free();
	MPI_File_call_errhandler(file, MPI_ERR_OTHER);
	CHECK(handled == 111);
	file.Close();
}

int main(int argc, char **argv) {
	MPI::Init(argc, argv);
	attributes();
	handlers((std::string(argv[0]) + ".file").c_str());
	if (MPI::COMM_WORLD.Get_rank() == 0 && !errors)
		std::puts("all right");
	MPI::Finalize();
}
