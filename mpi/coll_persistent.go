package mpi

// Persistent collective operations are nonblocking ones that are prepared once, and done
// once for each Start of their request, with what the buffers have then. To prepare one is
// local. All ranks of a communicator start the same ones in the same order, those that
// are not persistent among them. A request that is not needed any more is given back with
// Free.
//
// MPI 4.1 sections 6.13 and 8.8.

// BcastInit makes a Bcast persistent (MPI 4.1 section 6.13.2, MPI_Bcast_init).
func BcastInit[T any](c *Comm, buf []T, root int) (Request, error) {
	return begun(bcastCall(c, buf, root).Prepare())
}

// GatherInit makes a Gather persistent (MPI 4.1 section 6.13.3, MPI_Gather_init).
func GatherInit[T any](c *Comm, send, recv []T, root int) (Request, error) {
	return begun(gatherCall(c, send, recv, root).Prepare())
}

// GathervInit makes a Gatherv persistent (MPI 4.1 section 6.13.3, MPI_Gatherv_init).
func GathervInit[T any](c *Comm, send, recv []T, counts, displs []int, root int) (Request, error) {
	return begun(gathervCall(c, send, recv, counts, displs, root).Prepare())
}

// ScatterInit makes a Scatter persistent (MPI 4.1 section 6.13.4, MPI_Scatter_init).
func ScatterInit[T any](c *Comm, send, recv []T, root int) (Request, error) {
	return begun(scatterCall(c, send, recv, root).Prepare())
}

// ScattervInit makes a Scatterv persistent (MPI 4.1 section 6.13.4, MPI_Scatterv_init).
func ScattervInit[T any](c *Comm, send []T, counts, displs []int, recv []T, root int) (Request, error) {
	return begun(scattervCall(c, send, counts, displs, recv, root).Prepare())
}

// AllgatherInit makes an Allgather persistent (MPI 4.1 section 6.13.5, MPI_Allgather_init).
func AllgatherInit[T any](c *Comm, send, recv []T) (Request, error) {
	return begun(allgatherCall(c, send, recv).Prepare())
}

// AllgathervInit makes an Allgatherv persistent (MPI 4.1 section 6.13.5, MPI_Allgatherv_init).
func AllgathervInit[T any](c *Comm, send, recv []T, counts, displs []int) (Request, error) {
	return begun(allgathervCall(c, send, recv, counts, displs).Prepare())
}

// AlltoallInit makes an Alltoall persistent (MPI 4.1 section 6.13.6, MPI_Alltoall_init).
func AlltoallInit[T any](c *Comm, send, recv []T) (Request, error) {
	return begun(alltoallCall(c, send, recv).Prepare())
}

// AlltoallvInit makes an Alltoallv persistent (MPI 4.1 section 6.13.6, MPI_Alltoallv_init).
func AlltoallvInit[T any](c *Comm, send []T, sendCounts, sendDispls []int, recv []T,
	recvCounts, recvDispls []int) (Request, error) {
	return begun(alltoallvCall(c, send, sendCounts, sendDispls, recv, recvCounts, recvDispls).Prepare())
}

// ReduceInit makes a Reduce persistent (MPI 4.1 section 6.13.7, MPI_Reduce_init).
func ReduceInit[T any](c *Comm, send, recv []T, op *Op[T], root int) (Request, error) {
	return begun(reduceCall(c, send, recv, op, root).Prepare())
}

// AllreduceInit makes an Allreduce persistent (MPI 4.1 section 6.13.8, MPI_Allreduce_init).
func AllreduceInit[T any](c *Comm, send, recv []T, op *Op[T]) (Request, error) {
	return begun(allreduceCall(c, send, recv, op).Prepare())
}

// ReduceScatterBlockInit makes a ReduceScatterBlock persistent.
//
// MPI 4.1 section 6.13.9 (MPI_Reduce_scatter_block_init).
func ReduceScatterBlockInit[T any](c *Comm, send, recv []T, op *Op[T]) (Request, error) {
	return begun(reduceScatterBlockCall(c, send, recv, op).Prepare())
}

// ReduceScatterInit makes a ReduceScatter persistent.
//
// MPI 4.1 section 6.13.10 (MPI_Reduce_scatter_init).
func ReduceScatterInit[T any](c *Comm, send, recv []T, counts []int, op *Op[T]) (Request, error) {
	return begun(reduceScatterCall(c, send, recv, counts, op).Prepare())
}

// ScanInit makes a Scan persistent (MPI 4.1 section 6.13.11, MPI_Scan_init).
func ScanInit[T any](c *Comm, send, recv []T, op *Op[T]) (Request, error) {
	return begun(scanCall(c, send, recv, op).Prepare())
}

// ExscanInit makes an Exscan persistent (MPI 4.1 section 6.13.12, MPI_Exscan_init).
func ExscanInit[T any](c *Comm, send, recv []T, op *Op[T]) (Request, error) {
	return begun(exscanCall(c, send, recv, op).Prepare())
}

// NeighborAllgatherInit makes a NeighborAllgather persistent.
//
// MPI 4.1 section 8.8.1 (MPI_Neighbor_allgather_init).
func NeighborAllgatherInit[T any](c *Comm, send, recv []T) (Request, error) {
	return begun(neighborAllgatherCall(c, send, recv).Prepare())
}

// NeighborAllgathervInit makes a NeighborAllgatherv persistent.
//
// MPI 4.1 section 8.8.1 (MPI_Neighbor_allgatherv_init).
func NeighborAllgathervInit[T any](c *Comm, send, recv []T, counts, displs []int) (Request, error) {
	return begun(neighborAllgathervCall(c, send, recv, counts, displs).Prepare())
}

// NeighborAlltoallInit makes a NeighborAlltoall persistent.
//
// MPI 4.1 section 8.8.2 (MPI_Neighbor_alltoall_init).
func NeighborAlltoallInit[T any](c *Comm, send, recv []T) (Request, error) {
	return begun(neighborAlltoallCall(c, send, recv).Prepare())
}

// NeighborAlltoallvInit makes a NeighborAlltoallv persistent.
//
// MPI 4.1 section 8.8.2 (MPI_Neighbor_alltoallv_init).
func NeighborAlltoallvInit[T any](c *Comm, send []T, sendCounts, sendDispls []int, recv []T,
	recvCounts, recvDispls []int) (Request, error) {
	return begun(neighborAlltoallvCall(c, send, sendCounts, sendDispls, recv, recvCounts, recvDispls).Prepare())
}
