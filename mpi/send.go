package mpi

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/pml"
)

// All functions that send or receive take slices of elements without pointers. The
// elements must be on the heap, which the compiler sees to, and are moved as bytes:
// sender and receiver need not agree about the type. Their errors wrap a *TypeError,
// *RankError, *TagError, *LostError, ErrFinalized or ErrFreed, and those of receives also a
// *TruncateError; find them with errors.As and errors.Is.

// outgoing returns the bytes of buf, and the job's rank that dst of c is.
func outgoing[T any](c *Comm, buf []T, dst int) (b []byte, peer int, err error) {
	b, _, err = view(buf)
	if err == nil && c.ranks != nil {
		dst, err = c.member(dst)
	}
	return b, dst, err
}

// Send sends buf to rank dst. It blocks until buf can be used again. For a short
// message (up to the eager limit) that is at once, unless the receiver is far
// behind; a longer one waits for its receive. Programs that rely on Send not to wait
// are wrong in MPI and here.
//
// MPI 4.1 section 3.2.1 (MPI_Send).
func Send[T any](c *Comm, buf []T, dst, tag int) error {
	b, peer, err := outgoing(c, buf, dst)
	if err == nil {
		err = c.engine.Send(c.context, peer, tag, b, pml.Standard)
	}
	return sendError("send", dst, tag, err)
}

// Ssend sends buf to rank dst and blocks until its receive has begun, whatever the
// length, and buf can be used again.
//
// MPI 4.1 section 3.4 (MPI_Ssend).
func Ssend[T any](c *Comm, buf []T, dst, tag int) error {
	b, peer, err := outgoing(c, buf, dst)
	if err == nil {
		err = c.engine.Send(c.context, peer, tag, b, pml.Synchronous)
	}
	return sendError("ssend", dst, tag, err)
}

// Isend begins to send buf to rank dst and does not block. buf is lent until the
// request is complete: it may be read, and not be written to.
//
// MPI 4.1 section 3.7.2 (MPI_Isend).
func Isend[T any](c *Comm, buf []T, dst, tag int) (Request, error) {
	var r pml.Request
	b, peer, err := outgoing(c, buf, dst)
	if err == nil {
		r, err = c.engine.Isend(c.context, peer, tag, b, pml.Standard)
	}
	if err != nil {
		err = sendError("isend", dst, tag, err)
	}
	return Request{r}, err
}

// Issend is Isend whose request is complete only when the receive has begun.
//
// MPI 4.1 section 3.7.2 (MPI_Issend).
func Issend[T any](c *Comm, buf []T, dst, tag int) (Request, error) {
	var r pml.Request
	b, peer, err := outgoing(c, buf, dst)
	if err == nil {
		r, err = c.engine.Isend(c.context, peer, tag, b, pml.Synchronous)
	}
	return Request{r}, sendError("issend", dst, tag, err)
}

// SendInit makes a persistent request to send buf to rank dst. It sends nothing:
// Request.Start does, any number of times. Free the request at the end.
//
// MPI 4.1 section 3.9 (MPI_Send_init).
func SendInit[T any](c *Comm, buf []T, dst, tag int) (Request, error) {
	var r pml.Request
	b, peer, err := outgoing(c, buf, dst)
	if err == nil {
		r, err = c.engine.SendInit(c.context, peer, tag, btl.Buffer{Bytes: b}, pml.Standard)
	}
	return Request{r}, sendError("send init", dst, tag, err)
}
