/* Each rank receives one of two messages of the rank before, and frees little of what it makes. */
#include "program.h"

int main(void) {
	int out = 1, in = 0, next, last, word, key;
	char port[MPI_MAX_PORT_NAME];
	void *memory;
	MPIX_Graph graph;
	MPI_Comm comm, freed;
	MPI_Win window;
	MPI_Group group;
	MPI_Datatype type;
	MPI_Request request;
	join(MPI_THREAD_SINGLE);
	next = (rank + 1) % size, last = (rank + size - 1) % size;
	OK(MPI_Send(&out, 1, MPI_INT, next, 7, MPI_COMM_WORLD));
	OK(MPI_Send(&out, 1, MPI_INT, next, 8, MPI_COMM_WORLD));
	OK(MPI_Recv(&in, 1, MPI_INT, last, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
	OK(MPI_Comm_set_name(comm, "halo"));
	OK(MPI_Comm_split(comm, rank, 0, &comm));
	OK(MPI_Comm_dup(comm, &freed));
	OK(MPI_Comm_free(&freed));
	OK(MPI_Bcast_init(&out, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
	OK(MPI_Request_free(&request));
	OK(MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
	OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
	OK(MPI_Type_contiguous(3, MPI_INT, &type));
	OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
	OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL));
	OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
	OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL));
	OK(MPI_Comm_free_keyval(&key));
	OK(MPI_Alloc_mem(100, MPI_INFO_NULL, &memory));
	OK(MPI_Alloc_mem(100, MPI_INFO_NULL, &memory));
	OK(MPI_Free_mem(memory));
	for (int i = 0; i < 2; i++) OK(MPI_Open_port(MPI_INFO_NULL, port));
	OK(MPI_Close_port(port));
	OK(MPIX_Graph_new(MPI_COMM_WORLD, &graph));
	OK(MPIX_Graph_free(&graph));
	OK(MPIX_Graph_new(MPI_COMM_WORLD, &graph));
	OK(MPI_Type_create_f90_real(6, MPI_UNDEFINED, &type));
	OK(MPI_Finalize());
	return 0;
}
