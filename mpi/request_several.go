package mpi

import "github.com/gopvas/gopvas/internal/comm"

// WaitAll blocks until all operations are complete. If statuses is not nil it has as
// many elements as reqs, and gets their statuses. All are waited for even if some
// fail; the error joins the errors of all that did, each with its index.
//
// MPI 4.1 section 3.7.5 (MPI_Waitall).
func WaitAll(reqs []Request, statuses []Status) error {
	return comm.WaitAll(requests(reqs), statusesOf(statuses))
}

// TestAll returns true if all operations are complete, and then does what WaitAll
// would; else it changes nothing. It does not block.
//
// MPI 4.1 section 3.7.5 (MPI_Testall).
func TestAll(reqs []Request, statuses []Status) (bool, error) {
	return comm.TestAll(requests(reqs), statusesOf(statuses))
}

// WaitAny blocks until one of the operations is complete, and returns its index and
// what Wait would. If there are several it is the first of them. If no request stands
// for an operation the index is Undefined.
//
// MPI 4.1 section 3.7.5 (MPI_Waitany).
func WaitAny(reqs []Request) (int, Status, error) {
	i, st, err := comm.WaitAny(requests(reqs))
	return i, Status(st), err
}

// WaitSome blocks until at least one of the operations is complete, and does what
// Wait would for all that are. It appends their indices and statuses to the given
// slices, which may be nil, and returns them; none if no request stands for an
// operation. The error joins those of the operations that failed.
//
// MPI 4.1 section 3.7.5 (MPI_Waitsome).
func WaitSome(reqs []Request, indices []int, statuses []Status) ([]int, []Status, error) {
	indices, got, err := comm.WaitSome(requests(reqs), indices, statusesOf(statuses))
	return indices, facesOf(got), err
}

// TestAny is WaitAny that does not block: done tells whether one of the operations is
// complete, or none stands for an operation.
//
// MPI 4.1 section 3.7.5 (MPI_Testany).
func TestAny(reqs []Request) (i int, st Status, done bool, err error) {
	i, s, done, err := comm.TestAny(requests(reqs))
	return i, Status(s), done, err
}

// TestSome is WaitSome that does not block: there may be no index.
//
// MPI 4.1 section 3.7.5 (MPI_Testsome).
func TestSome(reqs []Request, indices []int, statuses []Status) ([]int, []Status, error) {
	indices, got, err := comm.TestSome(requests(reqs), indices, statusesOf(statuses))
	return indices, facesOf(got), err
}

// StartAll starts persistent requests. The error joins those of all that could not be
// started, each with its index; the others are.
//
// MPI 4.1 section 3.9 (MPI_Startall).
func StartAll(reqs []Request) error { return comm.StartAll(requests(reqs)) }
