// What C programs call to exchange handles and statuses with Fortran. A handle is the same number
// in both, unless the face has integers of its own, and a status the same integers.
#include "fortran.h"

#define CONVERT(kind, Name) \
	MPI_Fint PMPI_##Name##_c2f(MPI_##kind handle) { return f_integer(handle); } \
	MPI_##kind PMPI_##Name##_f2c(MPI_Fint handle) { return f_handle(kind, handle); } \
	MPI_Fint MPI_##Name##_c2f(MPI_##kind) __attribute__((weak, alias("PMPI_" #Name "_c2f"))); \
	MPI_##kind MPI_##Name##_f2c(MPI_Fint) __attribute__((weak, alias("PMPI_" #Name "_f2c")));

CONVERT(Comm, Comm)
CONVERT(Datatype, Type)
CONVERT(Errhandler, Errhandler)
CONVERT(File, File)
CONVERT(Group, Group)
CONVERT(Info, Info)
CONVERT(Message, Message)
CONVERT(Op, Op)
CONVERT(Request, Request)
CONVERT(Session, Session)
CONVERT(Win, Win)

#define COPY(From, To, name) \
	int PMPI_Status_##name(const From *from, To *to) { \
		memcpy(to, from, sizeof(MPI_Status)); \
		return MPI_SUCCESS; \
	} \
	int MPI_Status_##name(const From *, To *) __attribute__((weak, alias("PMPI_Status_" #name)));

COPY(MPI_Status, MPI_Fint, c2f)
COPY(MPI_Fint, MPI_Status, f2c)
COPY(MPI_Status, MPI_F08_status, c2f08)
COPY(MPI_F08_status, MPI_Status, f082c)
COPY(MPI_Fint, MPI_F08_status, f2f08)
COPY(MPI_F08_status, MPI_Fint, f082f)

MPI_Fint *MPI_F_STATUS_IGNORE = f_sentinel(status_ignore);
MPI_Fint *MPI_F_STATUSES_IGNORE = f_sentinel(statuses_ignore);
MPI_F08_status *MPI_F08_STATUS_IGNORE = (MPI_F08_status *)f08_sentinel(status_ignore);
MPI_F08_status *MPI_F08_STATUSES_IGNORE = (MPI_F08_status *)f08_sentinel(statuses_ignore);
