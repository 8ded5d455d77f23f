package mpi

// SendOne sends x to rank dst, see Send.
//
// MPI 4.1 section 3.2.1 (MPI_Send).
func SendOne[T any](c *Comm, x T, dst, tag int) error { return Send(c, []T{x}, dst, tag) }

// RecvOne receives one element, see Recv.
//
// MPI 4.1 section 3.2.4 (MPI_Recv).
func RecvOne[T any](c *Comm, src, tag int) (T, Status, error) {
	buf := make([]T, 1)
	st, err := Recv(c, buf, src, tag)
	return buf[0], st, err
}

// BcastOne returns the root's x on all ranks, see Bcast.
//
// MPI 4.1 section 6.4 (MPI_Bcast).
func BcastOne[T any](c *Comm, x T, root int) (T, error) {
	buf := []T{x}
	err := Bcast(c, buf, root)
	return buf[0], err
}

// GatherOne returns on the root what all have as x, and nil elsewhere, see Gather.
//
// MPI 4.1 section 6.5 (MPI_Gather).
func GatherOne[T any](c *Comm, x T, root int) ([]T, error) {
	var all []T
	if c.Rank() == root {
		all = make([]T, c.Size())
	}
	err := Gather(c, []T{x}, all, root)
	return all, err
}

// ScatterOne returns on rank i element i of what the root has as all, which is not used elsewhere, see Scatter.
//
// MPI 4.1 section 6.6 (MPI_Scatter).
func ScatterOne[T any](c *Comm, all []T, root int) (T, error) {
	buf := make([]T, 1)
	err := Scatter(c, all, buf, root)
	return buf[0], err
}

// AllgatherOne returns what all ranks have as x, see Allgather.
//
// MPI 4.1 section 6.7 (MPI_Allgather).
func AllgatherOne[T any](c *Comm, x T) ([]T, error) {
	all := make([]T, c.Size())
	if me := c.Rank(); me >= 0 && me < len(all) {
		all[me] = x
	}
	err := Allgather(c, nil, all)
	return all, err
}

// ReduceOne returns on the root what op makes of all x, and the zero value elsewhere, see Reduce.
//
// MPI 4.1 section 6.9.1 (MPI_Reduce).
func ReduceOne[T any](c *Comm, x T, op *Op[T], root int) (T, error) {
	buf := new([2]T)
	buf[0] = x
	err := Reduce(c, buf[:1], buf[1:], op, root)
	return buf[1], err
}

// AllreduceOne returns what op makes of all x, see Allreduce.
//
// MPI 4.1 section 6.9.6 (MPI_Allreduce).
func AllreduceOne[T any](c *Comm, x T, op *Op[T]) (T, error) {
	buf := []T{x}
	err := Allreduce(c, nil, buf, op)
	return buf[0], err
}

// ScanOne returns what op makes of x of the ranks up to and with this one, see Scan.
//
// MPI 4.1 section 6.11.1 (MPI_Scan).
func ScanOne[T any](c *Comm, x T, op *Op[T]) (T, error) {
	buf := []T{x}
	err := Scan(c, nil, buf, op)
	return buf[0], err
}

// ExscanOne returns what op makes of x of the ranks below this one, and the zero value on rank 0, see Exscan.
//
// MPI 4.1 section 6.11.2 (MPI_Exscan).
func ExscanOne[T any](c *Comm, x T, op *Op[T]) (T, error) {
	buf := new([2]T)
	buf[0] = x
	err := Exscan(c, buf[:1], buf[1:], op)
	return buf[1], err
}
