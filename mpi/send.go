package mpi

import "github.com/gopvas/gopvas/internal/msg/comm"

// Send sends buf to rank dst. It blocks until buf can be used again. For a short
// message (up to the eager limit) that is at once, unless the receiver is far
// behind; a longer one waits for its receive. Programs that rely on Send not to wait
// are wrong in MPI and here. Send[byte](c, nil, dst, tag) sends a message without elements.
//
// MPI 4.1 section 3.2.1 (MPI_Send).
func Send[T any](c *Comm, buf []T, dst, tag int) error {
	of := usualElement[T]() // inlined: a message of bytes or numbers needs no call for it
	if of == 0 {
		var err error
		if of, err = element[T](); err != nil {
			return comm.WrapSend("send", dst, tag, err)
		}
	}
	return comm.Send(c.inner(), comm.Standard, bytesOf(buf, of.Size()), of, dst, tag)
}

// Ssend sends buf to rank dst and blocks until its receive has begun, whatever the
// length, and buf can be used again.
//
// MPI 4.1 section 3.4 (MPI_Ssend).
func Ssend[T any](c *Comm, buf []T, dst, tag int) error {
	b, of, err := asBytes(buf)
	if err != nil {
		return comm.WrapSend("ssend", dst, tag, err)
	}
	return comm.Send(c.inner(), comm.Synchronous, b, of, dst, tag)
}

// Isend begins to send buf to rank dst and does not block. buf may be
// read until the request is complete, and not be written to.
//
// MPI 4.1 section 3.7.2 (MPI_Isend).
func Isend[T any](c *Comm, buf []T, dst, tag int) (Request, error) {
	of := usualElement[T]() // inlined: a message of bytes or numbers needs no call for it
	if of == 0 {
		var err error
		if of, err = element[T](); err != nil {
			return Request{}, comm.WrapSend("isend", dst, tag, err)
		}
	}
	return begun(comm.Isend(c.inner(), comm.Standard, bytesOf(buf, of.Size()), of, dst, tag))
}

// Issend is Isend whose request is complete only when the receive has begun.
//
// MPI 4.1 section 3.7.2 (MPI_Issend).
func Issend[T any](c *Comm, buf []T, dst, tag int) (Request, error) {
	b, of, err := asBytes(buf)
	if err != nil {
		return Request{}, comm.WrapSend("issend", dst, tag, err)
	}
	return begun(comm.Isend(c.inner(), comm.Synchronous, b, of, dst, tag))
}

// SendInit makes a persistent request to send buf to rank dst. It sends nothing:
// Request.Start does, any number of times. Free the request at the end.
//
// MPI 4.1 section 3.9 (MPI_Send_init).
func SendInit[T any](c *Comm, buf []T, dst, tag int) (Request, error) {
	b, of, err := asBytes(buf)
	if err != nil {
		return Request{}, comm.WrapSend("send init", dst, tag, err)
	}
	return begun(comm.SendInit(c.inner(), comm.Standard, comm.Bytes(b), of, dst, tag))
}

// Bsend sends a copy of buf to rank dst. It does not wait for the receiver: buf can be
// used again at once. Comm.FlushBuffer waits for what was sent so, and so does
// Comm.Finalize. There is no buffer to attach: copies are on the heap
// (MPI_BUFFER_AUTOMATIC).
//
// MPI 4.1 sections 3.4 and 3.6 (MPI_Bsend).
func Bsend[T any](c *Comm, buf []T, dst, tag int) error {
	b, of, err := asBytes(buf)
	if err != nil {
		return comm.WrapSend("bsend", dst, tag, err)
	}
	return comm.Bsend(c.inner(), b, of, dst, tag)
}

// Ibsend is Bsend whose request is complete at once.
//
// MPI 4.1 section 3.7.2 (MPI_Ibsend).
func Ibsend[T any](c *Comm, buf []T, dst, tag int) (Request, error) {
	b, of, err := asBytes(buf)
	if err != nil {
		return Request{}, comm.WrapSend("ibsend", dst, tag, err)
	}
	return begun(comm.Ibsend(c.inner(), b, of, dst, tag))
}
