// What C programs call to exchange handles and statuses with Fortran. A handle is the same number
// in both, and a status the same eight integers.
#include "fortran.h"

#define CONVERT(Type, Name) \
	MPI_Fint PMPI_##Name##_c2f(Type handle) { return (MPI_Fint)(intptr_t)handle; } \
	Type PMPI_##Name##_f2c(MPI_Fint handle) { return (Type)f_handle(handle); } \
	MPI_Fint MPI_##Name##_c2f(Type) __attribute__((weak, alias("PMPI_" #Name "_c2f"))); \
	Type MPI_##Name##_f2c(MPI_Fint) __attribute__((weak, alias("PMPI_" #Name "_f2c")));

CONVERT(MPI_Comm, Comm)
CONVERT(MPI_Datatype, Type)
CONVERT(MPI_Errhandler, Errhandler)
CONVERT(MPI_File, File)
CONVERT(MPI_Group, Group)
CONVERT(MPI_Info, Info)
CONVERT(MPI_Message, Message)
CONVERT(MPI_Op, Op)
CONVERT(MPI_Request, Request)
CONVERT(MPI_Session, Session)
CONVERT(MPI_Win, Win)

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

MPI_Fint *MPI_F_STATUS_IGNORE = F.status_ignore;
MPI_Fint *MPI_F_STATUSES_IGNORE = F.statuses_ignore;
MPI_F08_status *MPI_F08_STATUS_IGNORE = (MPI_F08_status *)F.status_ignore;
MPI_F08_status *MPI_F08_STATUSES_IGNORE = (MPI_F08_status *)F.statuses_ignore;
