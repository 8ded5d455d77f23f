package mpi

import "github.com/gopvas/gopvas/internal/comm"

// Request is a nonblocking operation that was begun and not yet waited for. It is a
// value: its zero value, and a request that was waited for, stands for no operation,
// and so do copies of it and a nil *Request (MPI_REQUEST_NULL). To wait for none is over at once, with an
// empty Status. One goroutine at a time waits for a request: a second one gets
// ErrBusy. Every request must be waited for before Finalize, or found complete by a
// test; every persistent one freed. Its methods, which package comm describes, are
//
//	Wait, WaitContext, Test, Active
//	Cancel        a receive
//	Start, Free   a persistent request
type Request = comm.Request

// Status tells about a message that was received or probed: Source and Tag, and in Count
// the number of elements, of the type of the receive. A probe knows no type and counts
// bytes; see CountOf. Bytes returns the number of bytes, CountIn that of elements of a
// size. MPI 4.1 section 3.2.5.
type Status = comm.Status

// Message is a message that Mprobe has set aside for one Mrecv.
type Message = comm.Message

// WaitAll blocks until all operations are complete. If statuses is not nil it has as
// many elements as reqs, and gets their statuses. All are waited for even if some
// fail; the error joins the errors of all that did, each with its index.
//
// MPI 4.1 section 3.7.5 (MPI_Waitall).
func WaitAll(reqs []Request, statuses []Status) error { return comm.WaitAll(reqs, statuses) }

// TestAll returns true if all operations are complete, and then does what WaitAll
// would; else it changes nothing. It does not block.
//
// MPI 4.1 section 3.7.5 (MPI_Testall).
func TestAll(reqs []Request, statuses []Status) (bool, error) { return comm.TestAll(reqs, statuses) }

// WaitAny blocks until one of the operations is complete, and returns its index and
// what Wait would. If there are several it is the first of them. If no request stands
// for an operation the index is Undefined.
//
// MPI 4.1 section 3.7.5 (MPI_Waitany).
func WaitAny(reqs []Request) (int, Status, error) { return comm.WaitAny(reqs) }

// WaitSome blocks until at least one of the operations is complete, and does what
// Wait would for all that are. It appends their indices and statuses to the given
// slices, which may be nil, and returns them; none if no request stands for an
// operation. The error joins those of the operations that failed.
//
// MPI 4.1 section 3.7.5 (MPI_Waitsome).
func WaitSome(reqs []Request, indices []int, statuses []Status) ([]int, []Status, error) {
	return comm.WaitSome(reqs, indices, statuses)
}

// TestAny is WaitAny that does not block: done tells whether one of the operations is
// complete, or none stands for an operation.
//
// MPI 4.1 section 3.7.5 (MPI_Testany).
func TestAny(reqs []Request) (i int, st Status, done bool, err error) { return comm.TestAny(reqs) }

// TestSome is WaitSome that does not block: there may be no index.
//
// MPI 4.1 section 3.7.5 (MPI_Testsome).
func TestSome(reqs []Request, indices []int, statuses []Status) ([]int, []Status, error) {
	return comm.TestSome(reqs, indices, statuses)
}

// StartAll starts persistent requests. The error joins those of all that could not be
// started, each with its index; the others are.
//
// MPI 4.1 section 3.9 (MPI_Startall).
func StartAll(reqs []Request) error { return comm.StartAll(reqs) }

// Probe blocks until there is a message that Recv with the same arguments would
// receive, and leaves it where it is. Its length is in the status. If several
// goroutines receive such messages, another may get it first: use Mprobe.
//
// MPI 4.1 section 3.8.1 (MPI_Probe).
func Probe(c *Comm, src, tag int) (Status, error) { return comm.Probe(c, src, tag) }

// Iprobe is Probe that does not block: ok tells whether there is a message.
//
// MPI 4.1 section 3.8.1 (MPI_Iprobe).
func Iprobe(c *Comm, src, tag int) (st Status, ok bool, err error) { return comm.Iprobe(c, src, tag) }

// Mprobe is Probe that sets the message aside: only Mrecv with what it returns will
// receive it, and has to.
//
// MPI 4.1 section 3.8.2 (MPI_Mprobe).
func Mprobe(c *Comm, src, tag int) (Message, Status, error) { return comm.Mprobe(c, src, tag) }

// Improbe is Mprobe that does not block: ok tells whether there is a message.
//
// MPI 4.1 section 3.8.2 (MPI_Improbe).
func Improbe(c *Comm, src, tag int) (m Message, st Status, ok bool, err error) {
	return comm.Improbe(c, src, tag)
}
