/* Files are not there: their calls return an error, as the default error handler of files says. */
#include "program.h"

int main(void) {
	MPI_File file;
	int class;
	join(MPI_THREAD_SINGLE);
	OK(MPI_Error_class(MPI_File_open(MPI_COMM_WORLD, "none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), &class));
	CHECK(class == MPI_ERR_UNSUPPORTED_OPERATION);
	CHECK(MPI_File_delete("none", MPI_INFO_NULL) != MPI_SUCCESS);
	OK(MPI_Finalize());
	return 0;
}
