// Exceptions and longjmp past calls of MPI, and out of error handlers.
#include "program.h"
#include <csetjmp>
#include <stdexcept>
#include <string>

struct Guard {
	int &ended;
	~Guard() { ring(); ended++; }
};

static void throws(MPI_Comm *comm, int *code, ...) {
	char text[MPI_MAX_ERROR_STRING];
	int length;
	OK(MPI_Error_string(*code, text, &length));
	CHECK(*comm == MPI_COMM_WORLD);
	throw std::runtime_error(text);
}

static std::jmp_buf out;
static void jumps(MPI_Comm *, int *, ...) { std::longjmp(out, 1); }

static int returned;
static void returns(MPI_Comm *, int *code, ...) { returned = *code; ring(); }

int main() {
	int ended = 0;
	join(MPI_THREAD_SINGLE);
	try {
		Guard g{ended};
		ring();
		throw std::string("own");
	} catch (const std::string &s) {
		CHECK(s == "own" && ended == 1);
	}
	MPI_Errhandler thrower, jumper, returner;
	OK(MPI_Comm_create_errhandler(throws, &thrower));
	OK(MPI_Comm_create_errhandler(jumps, &jumper));
	OK(MPI_Comm_create_errhandler(returns, &returner));
	for (volatile int i = 0; i < 100; i = i + 1) {
		OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, thrower));
		volatile bool caught = false;
		try {
			MPI_Send(&ended, 1, MPI_INT, size + 3, 0, MPI_COMM_WORLD);
		} catch (const std::runtime_error &) {
			caught = true;
		}
		CHECK(caught);
		ring();
		OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, jumper));
		if (setjmp(out) == 0) {
			MPI_Send(&ended, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
			CHECK(!"the error handler did not jump");
		}
		ring();
		OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, returner));
		returned = MPI_SUCCESS;
		int code = MPI_Send(&ended, 1, MPI_INT, 0, -5, MPI_COMM_WORLD);
		CHECK(code != MPI_SUCCESS && code == returned);
		OK(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER));
		CHECK(returned == MPI_ERR_OTHER);
	}
	OK(MPI_Errhandler_free(&thrower));
	OK(MPI_Errhandler_free(&jumper));
	OK(MPI_Errhandler_free(&returner));
	OK(MPI_Finalize());
	return 0;
}
