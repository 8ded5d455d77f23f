// The functions of the interface, by hand until they are generated.
#include "entry.h"
#include <stddef.h>

#define STUB(name, number, parameters, ...) \
	__attribute__((visibility("default"))) int PMPI_##name parameters { \
		int64_t args[] = {__VA_ARGS__}; \
		return (int)libmpi_call(number, args); \
	} \
	__attribute__((visibility("default"), weak, alias("PMPI_" #name))) int MPI_##name parameters

STUB(Init, 0, (int *argc, char ***argv), (int64_t)argc, (int64_t)argv);
STUB(Finalize, 1, (void), 0);
STUB(Comm_rank, 2, (void *comm, int *rank), (int64_t)comm, (int64_t)rank);
STUB(Comm_size, 3, (void *comm, int *size), (int64_t)comm, (int64_t)size);
STUB(Send, 4, (const void *buf, int count, void *type, int dest, int tag, void *comm),
	(int64_t)buf, count, (int64_t)type, dest, tag, (int64_t)comm);
STUB(Recv, 5, (void *buf, int count, void *type, int source, int tag, void *comm, void *status),
	(int64_t)buf, count, (int64_t)type, source, tag, (int64_t)comm, (int64_t)status);
STUB(Barrier, 6, (void *comm), (int64_t)comm);
