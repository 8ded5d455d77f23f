package mpi

import (
	"iter"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Recv receives a message from rank src, or AnySource, with the given tag, or AnyTag,
// into buf, and blocks until it is there. A shorter message fills the first elements.
// Of a longer one the rest is lost, and the error wraps a *TruncateError with both
// lengths; the status is valid then.
//
// The error wraps a *LostError if src has gone and has sent no such message; or if
// src is AnySource, no message has come, and some rank has gone without Finalize or
// all other ranks have gone.
//
// MPI 4.1 section 3.2.4 (MPI_Recv).
func Recv[T any](c *Comm, buf []T, src, tag int) (st Status, err error) {
	of := usualElement[T]() // inlined: a message of bytes or numbers needs no call for it
	if of == 0 {
		if of, err = element[T](); err != nil {
			return st, comm.WrapReceive("recv", src, tag, err)
		}
	}
	err = comm.Recv(c.inner(), (*comm.Status)(&st), bytesOf(buf, of.Size()), of, src, tag)
	return st, err
}

// Irecv begins to receive into buf and does not block. buf may be neither
// read nor written to until the request is complete.
//
// MPI 4.1 section 3.7.2 (MPI_Irecv).
func Irecv[T any](c *Comm, buf []T, src, tag int) (Request, error) {
	of := usualElement[T]() // inlined: a message of bytes or numbers needs no call for it
	if of == 0 {
		var err error
		if of, err = element[T](); err != nil {
			return Request{}, comm.WrapReceive("irecv", src, tag, err)
		}
	}
	return begun(comm.Irecv(c.inner(), bytesOf(buf, of.Size()), of, src, tag))
}

// RecvInit makes a persistent request to receive into buf. It receives nothing:
// Request.Start does, any number of times. Free the request at the end.
//
// MPI 4.1 section 3.9 (MPI_Recv_init).
func RecvInit[T any](c *Comm, buf []T, src, tag int) (Request, error) {
	b, of, err := asBytes(buf)
	if err != nil {
		return Request{}, comm.WrapReceive("recv init", src, tag, err)
	}
	return begun(comm.RecvInit(c.inner(), comm.Bytes(b), of, src, tag))
}

// RecvAlloc receives a message of unknown length: it blocks until one is there,
// allocates as many elements as it has, and receives it. The error wraps a
// *CountError if the message is no whole number of elements; then it is lost.
//
// MPI 4.1 section 3.8.2 (the use of MPI_Mprobe).
func RecvAlloc[T any](c *Comm, src, tag int) ([]T, Status, error) {
	of, err := element[T]()
	if err != nil {
		return nil, Status{}, comm.WrapReceive("recv alloc", src, tag, err)
	}
	var buf []T
	st, err := comm.RecvAlloc(c.inner(), of, src, tag, func(elements int) []byte {
		buf = make([]T, elements)
		return bytesOf(buf, of.Size())
	})
	return buf, Status(st), err
}

// Sendrecv sends one buffer and receives into another at the same time. Ranks that
// all do so do not wait for one another in a circle. The call blocks until both are done.
// The status is of the receive. If only the sending fails, the receive is cancelled
// if it can be, else waited for. The error wraps ErrOverlap if the buffers have elements in common.
//
// MPI 4.1 section 3.11 (MPI_Sendrecv).
func Sendrecv[S, R any](c *Comm, send []S, dst, sendTag int, recv []R, src, recvTag int) (Status, error) {
	const op = "sendrecv"
	out, outOf, err := asBytes(send)
	if err != nil {
		return Status{}, comm.WrapSend(op, dst, sendTag, err)
	}
	in, inOf, err := asBytes(recv)
	if err != nil {
		return Status{}, comm.WrapReceive(op, src, recvTag, err)
	}
	return received(comm.Sendrecv(c.inner(), op, comm.Half{Buf: comm.Bytes(out), Of: outOf, Peer: dst, Tag: sendTag},
		comm.Half{Buf: comm.Bytes(in), Of: inOf, Peer: src, Tag: recvTag}))
}

// SendrecvReplace is Sendrecv with one buffer: its elements are sent, and replaced by
// those received. It takes a copy of the buffer on the heap.
//
// MPI 4.1 section 3.11 (MPI_Sendrecv_replace).
func SendrecvReplace[T any](c *Comm, buf []T, dst, sendTag, src, recvTag int) (Status, error) {
	const op = "sendrecv replace"
	in, of, err := asBytes(buf)
	if err != nil {
		return Status{}, comm.WrapSend(op, dst, sendTag, err)
	}
	out := append([]byte(nil), in...)
	return received(comm.Sendrecv(c.inner(), op, comm.Half{Buf: comm.Bytes(out), Of: of, Peer: dst, Tag: sendTag},
		comm.Half{Buf: comm.Bytes(in), Of: of, Peer: src, Tag: recvTag}))
}

// Mrecv receives a message that Mprobe has set aside into buf, and blocks until it is
// there: it waits for the sender's bytes at most. Too long a message is truncated as
// by Recv. The error wraps ErrNoMessage if the message was received before.
//
// MPI 4.1 section 3.8.3 (MPI_Mrecv).
func Mrecv[T any](m *Message, buf []T) (Status, error) {
	b, of, err := asBytes(buf)
	if err != nil {
		return Status{}, comm.Wrap("mrecv", err)
	}
	return received(comm.Mrecv((*comm.Message)(m), comm.Bytes(b), of))
}

// Imrecv is Mrecv that does not block. buf is used until the request is complete.
//
// MPI 4.1 section 3.8.3 (MPI_Imrecv).
func Imrecv[T any](m *Message, buf []T) (Request, error) {
	b, of, err := asBytes(buf)
	if err != nil {
		return Request{}, comm.Wrap("imrecv", err)
	}
	return begun(comm.Imrecv((*comm.Message)(m), comm.Bytes(b), of))
}

// Received is a message that Messages has received.
type Received[T any] struct {
	Status
	Elements []T // the program's own
}

// Messages yields the messages from rank src, or AnySource, with the given tag, or AnyTag, one after the other, of any
// length:
//
//	for m, err := range mpi.Messages[int](world, mpi.AnySource, tag) { ... }
//
// Each step blocks until a message is there, and allocates its elements, as RecvAlloc. There is no last message: the
// program leaves the loop. An error is the last step. No message is received ahead, so none is lost to a loop that
// ends.
//
// MPI 4.1 section 3.8.2 (the use of MPI_Mprobe).
//
//go:noinline
func Messages[T any](c *Comm, src, tag int) iter.Seq2[Received[T], error] {
	return func(yield func(Received[T], error) bool) {
		for {
			elements, st, err := RecvAlloc[T](c, src, tag)
			if !yield(Received[T]{st, elements}, err) || err != nil {
				return
			}
		}
	}
}
