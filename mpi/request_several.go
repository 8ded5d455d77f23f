package mpi

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

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

// A Batch is the operations that WaitBatch waits for. It belongs to the function that WaitBatch calls.
type Batch struct {
	mu       sync.Mutex
	requests []Request
	statuses []*Status // of the requests
	err      error     // of operations that were not begun
	ended    bool
}

// Add takes what a call returns that begins an operation: b.Add(mpi.Irecv(...)). The batch owns the request from then
// on. An error becomes one of WaitBatch. The status is valid once WaitBatch has returned, unless the operation has
// failed. A batch that is nil, or has ended, takes nothing: a receive is cancelled, a send goes on by itself, and
// Comm.Finalize returns an error that names the line.
func (b *Batch) Add(r Request, err error) *Status {
	st := new(Status)
	if b == nil {
		strayed(r, err)
		return st
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		strayed(r, err)
		return st
	}
	if err != nil {
		b.err = errors.Join(b.err, err)
		return st
	}
	b.requests, b.statuses = append(b.requests, r), append(b.statuses, st)
	return st
}

// WaitBatch calls f and waits for all operations that f has added, however f ends. After an error of f or of an
// operation it cancels receives that have no message yet, and waits for the rest. Then the buffers are the caller's
// again. The error joins that of f and those of the operations. If f panics, receives are cancelled, and the panic goes
// on without a wait: others may never answer.
//
// MPI 4.1 section 3.7.5 (the use of MPI_Waitsome).
func WaitBatch(f func(b *Batch) error) error {
	if f == nil {
		return comm.Wrap("wait batch", errors.New("the function is nil"))
	}
	b := new(Batch)
	returned := false
	defer func() {
		if !returned {
			b.close()
			b.cancel()
			_, _, _ = TestSome(b.requests, nil, nil) // those that are over, cancelled ones among them
		}
	}()
	err := f(b)
	returned = true
	b.close()
	return b.end(errors.Join(err, b.err))
}

// close has the batch take nothing any more.
func (b *Batch) close() {
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
}

// end waits for all operations, and cancels receives after the first error.
func (b *Batch) end(err error) error {
	if err != nil {
		b.cancel()
	}
	var indices []int
	var statuses []Status
	for {
		failed := err != nil
		var one error
		indices, statuses, one = WaitSome(b.requests, indices[:0], statuses[:0])
		_, pending := errors.AsType[*PendingError](one)
		if len(indices) == 0 && !pending {
			return errors.Join(err, one)
		}
		for i, index := range indices {
			*b.statuses[index] = statuses[i]
		}
		err = errors.Join(err, one)
		if err != nil && !failed {
			b.cancel()
		}
	}
}

// cancel ends the receives that have no message yet.
func (b *Batch) cancel() {
	for i := range b.requests {
		_ = b.requests[i].Cancel() // an error: it is no receive
	}
}

// strays are the errors of operations that were added to no batch. They are of no communicator: a rank is a process.
var strays struct {
	sync.Mutex
	err error
}

// strayed ends what was added to no batch, and keeps an error for Comm.Finalize.
func strayed(r Request, err error) {
	_ = r.Cancel() // an error: it is no receive
	if _, done, _ := r.Test(); !done {
		_ = comm.Leave(r.inner()) // it is active
	}
	none := errors.New("the batch is nil or has ended: add operations before the function of WaitBatch returns")
	if err != nil {
		none = fmt.Errorf("%w; the operation: %w", none, err)
	}
	strays.Lock()
	defer strays.Unlock()
	strays.err = errors.Join(strays.err, comm.Wrap("batch add", none))
}

// takeStrays returns what strayed has kept, once.
func takeStrays() error {
	strays.Lock()
	defer strays.Unlock()
	err := strays.err
	strays.err = nil
	return err
}
