// Handles and statuses go to Fortran and come back, by the old names and by those of the ABI.
#include "program.h"

#define SAME(object, type, handle)                                     \
	do {                                                               \
		type there = handle;                                           \
		MPI_Fint number = MPI_##object##_c2f(there);                   \
		CHECK(number == MPI_##object##_toint(there));                  \
		CHECK(MPI_##object##_f2c(number) == there);                    \
	} while (0)

int main(int argc, char **argv) {
	MPI_Comm comm;
	MPI_Datatype type;
	MPI_Status status, again;
	MPI_Fint fortran[MPI_F_STATUS_SIZE];
	int sent = 1, received, count;
	MPI_Init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Type_contiguous(3, MPI_INT, &type);
	SAME(Comm, MPI_Comm, MPI_COMM_WORLD);
	SAME(Comm, MPI_Comm, comm);
	SAME(Errhandler, MPI_Errhandler, MPI_ERRORS_RETURN);
	SAME(File, MPI_File, MPI_FILE_NULL);
	SAME(Group, MPI_Group, MPI_GROUP_EMPTY);
	SAME(Info, MPI_Info, MPI_INFO_ENV);
	SAME(Message, MPI_Message, MPI_MESSAGE_NO_PROC);
	SAME(Op, MPI_Op, MPI_SUM);
	SAME(Request, MPI_Request, MPI_REQUEST_NULL);
	SAME(Session, MPI_Session, MPI_SESSION_NULL);
	SAME(Type, MPI_Datatype, type);
	SAME(Win, MPI_Win, MPI_WIN_NULL);

	MPI_Sendrecv(&sent, 1, MPI_INT, 0, 7, &received, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &status);
	CHECK(MPI_Status_c2f(&status, fortran) == MPI_SUCCESS);
	CHECK(fortran[MPI_F_SOURCE] == 0 && fortran[MPI_F_TAG] == 7);
	CHECK(MPI_Status_f2c(fortran, &again) == MPI_SUCCESS);
	MPI_Get_count(&again, MPI_INT, &count);
	CHECK(count == 1);
	MPI_Type_free(&type);
	MPI_Comm_free(&comm);
	MPI_Finalize();
	return 0;
}
