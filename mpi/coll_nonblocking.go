package mpi

// Nonblocking collective operations take the same arguments as those that block, and
// return at once with a request. All ranks of a communicator begin the same ones in the
// same order; blocking and nonblocking ones do not meet one another. Up to the wait
// buffers that are received into may not be accessed, and others not be written to; counts
// and displacements are the caller's again at once. In place is as in the blocking forms.
//
// They are graphs of operations (see Graph) that go on also while this rank computes, as
// long as there is another of the job's ranks that waits for something, or a helper: see
// docs/writing-ranks.md. Between processes it takes calls of this rank, or its helper.
//
// Errors about arguments are returned at once, all others by the wait; they are those of
// the blocking forms. After a *LostError, or if ranks have made calls that do not fit one
// another at all, no later nonblocking operation on the communicator succeeds.
//
// Ranks that call different operations, or with other roots, operators or lengths, get a
// *MismatchError that names two calls that differ: all that have to do with one another, and
// with pvasrun --check all ranks, before anything is received.
//
// The forms of Alltoallw and NeighborAlltoallw are beside those.
//
// MPI 4.1 sections 6.12 and 8.7.

// Ibcast is Bcast, nonblocking (MPI 4.1 section 6.12.2, MPI_Ibcast).
func Ibcast[T any](c *Comm, buf []T, root int) (Request, error) {
	return begun(bcastCall(c, buf, root).Begin())
}

// Igather is Gather, nonblocking (MPI 4.1 section 6.12.3, MPI_Igather).
func Igather[T any](c *Comm, send, recv []T, root int) (Request, error) {
	return begun(gatherCall(c, send, recv, root).Begin())
}

// Igatherv is Gatherv, nonblocking (MPI 4.1 section 6.12.3, MPI_Igatherv).
func Igatherv[T any](c *Comm, send, recv []T, counts, displs []int, root int) (Request, error) {
	return begun(gathervCall(c, send, recv, counts, displs, root).Begin())
}

// Iscatter is Scatter, nonblocking (MPI 4.1 section 6.12.4, MPI_Iscatter).
func Iscatter[T any](c *Comm, send, recv []T, root int) (Request, error) {
	return begun(scatterCall(c, send, recv, root).Begin())
}

// Iscatterv is Scatterv, nonblocking (MPI 4.1 section 6.12.4, MPI_Iscatterv).
func Iscatterv[T any](c *Comm, send []T, counts, displs []int, recv []T, root int) (Request, error) {
	return begun(scattervCall(c, send, counts, displs, recv, root).Begin())
}

// Iallgather is Allgather, nonblocking (MPI 4.1 section 6.12.5, MPI_Iallgather).
func Iallgather[T any](c *Comm, send, recv []T) (Request, error) {
	return begun(allgatherCall(c, send, recv).Begin())
}

// Iallgatherv is Allgatherv, nonblocking (MPI 4.1 section 6.12.5, MPI_Iallgatherv).
func Iallgatherv[T any](c *Comm, send, recv []T, counts, displs []int) (Request, error) {
	return begun(allgathervCall(c, send, recv, counts, displs).Begin())
}

// Ialltoall is Alltoall, nonblocking (MPI 4.1 section 6.12.6, MPI_Ialltoall).
func Ialltoall[T any](c *Comm, send, recv []T) (Request, error) {
	return begun(alltoallCall(c, send, recv).Begin())
}

// Ialltoallv is Alltoallv, nonblocking (MPI 4.1 section 6.12.6, MPI_Ialltoallv).
func Ialltoallv[T any](c *Comm, send []T, sendCounts, sendDispls []int, recv []T,
	recvCounts, recvDispls []int) (Request, error) {
	return begun(alltoallvCall(c, send, sendCounts, sendDispls, recv, recvCounts, recvDispls).Begin())
}

// Ireduce is Reduce, nonblocking (MPI 4.1 section 6.12.7, MPI_Ireduce).
func Ireduce[T any](c *Comm, send, recv []T, op *Op[T], root int) (Request, error) {
	return begun(reduceCall(c, send, recv, op, root).Begin())
}

// Iallreduce is Allreduce, nonblocking (MPI 4.1 section 6.12.8, MPI_Iallreduce).
func Iallreduce[T any](c *Comm, send, recv []T, op *Op[T]) (Request, error) {
	return begun(allreduceCall(c, send, recv, op).Begin())
}

// IreduceScatterBlock is ReduceScatterBlock, nonblocking.
//
// MPI 4.1 section 6.12.9 (MPI_Ireduce_scatter_block).
func IreduceScatterBlock[T any](c *Comm, send, recv []T, op *Op[T]) (Request, error) {
	return begun(reduceScatterBlockCall(c, send, recv, op).Begin())
}

// IreduceScatter is ReduceScatter, nonblocking (MPI 4.1 section 6.12.10, MPI_Ireduce_scatter).
func IreduceScatter[T any](c *Comm, send, recv []T, counts []int, op *Op[T]) (Request, error) {
	return begun(reduceScatterCall(c, send, recv, counts, op).Begin())
}

// Iscan is Scan, nonblocking (MPI 4.1 section 6.12.11, MPI_Iscan).
func Iscan[T any](c *Comm, send, recv []T, op *Op[T]) (Request, error) {
	return begun(scanCall(c, send, recv, op).Begin())
}

// Iexscan is Exscan, nonblocking (MPI 4.1 section 6.12.12, MPI_Iexscan).
func Iexscan[T any](c *Comm, send, recv []T, op *Op[T]) (Request, error) {
	return begun(exscanCall(c, send, recv, op).Begin())
}

// IneighborAllgather is NeighborAllgather, nonblocking.
//
// MPI 4.1 section 8.7.1 (MPI_Ineighbor_allgather).
func IneighborAllgather[T any](c *Comm, send, recv []T) (Request, error) {
	return begun(neighborAllgatherCall(c, send, recv).Begin())
}

// IneighborAllgatherv is NeighborAllgatherv, nonblocking.
//
// MPI 4.1 section 8.7.1 (MPI_Ineighbor_allgatherv).
func IneighborAllgatherv[T any](c *Comm, send, recv []T, counts, displs []int) (Request, error) {
	return begun(neighborAllgathervCall(c, send, recv, counts, displs).Begin())
}

// IneighborAlltoall is NeighborAlltoall, nonblocking (MPI 4.1 section 8.7.2,
// MPI_Ineighbor_alltoall).
func IneighborAlltoall[T any](c *Comm, send, recv []T) (Request, error) {
	return begun(neighborAlltoallCall(c, send, recv).Begin())
}

// IneighborAlltoallv is NeighborAlltoallv, nonblocking.
//
// MPI 4.1 section 8.7.2 (MPI_Ineighbor_alltoallv).
func IneighborAlltoallv[T any](c *Comm, send []T, sendCounts, sendDispls []int, recv []T,
	recvCounts, recvDispls []int) (Request, error) {
	return begun(neighborAlltoallvCall(c, send, sendCounts, sendDispls, recv, recvCounts, recvDispls).Begin())
}
