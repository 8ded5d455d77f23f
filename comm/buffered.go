package comm

import (
	"slices"
	"sync"

	"github.com/gopvas/gopvas/pml"
)

// buffered are the sends in buffered mode of a process that are under way. Each has a copy
// of its message on the heap (MPI 4.1 section 3.6, MPI_BUFFER_AUTOMATIC): there is no
// buffer to attach, and no message that finds it full.
type buffered struct {
	mu   sync.Mutex
	reqs []pml.Request // each holds its copy
}

// Bsend sends a copy of buf to rank dst. It does not wait for the receiver: buf can be
// used again at once. FlushBuffer waits for what was sent so, and so does Finalize.
//
// MPI 4.1 section 3.4 (MPI_Bsend).
func Bsend(c *Comm, buf []byte, dst, tag int) error {
	return WrapSend("bsend", dst, tag, c.bsend(buf, dst, tag))
}

// Ibsend is Bsend whose request is complete at once.
//
// MPI 4.1 section 3.7.2 (MPI_Ibsend).
func Ibsend(c *Comm, buf []byte, dst, tag int) (Request, error) {
	var r pml.Request
	err := c.bsend(buf, dst, tag)
	if err == nil {
		r, err = c.engine.Isend(c.context, ProcNull, tag, nil, pml.Standard)
	}
	return Request{r}, WrapSend("ibsend", dst, tag, err)
}

func (c *Comm) bsend(buf []byte, dst, tag int) error {
	peer, err := c.to(dst)
	if err != nil {
		return err
	}
	r, err := c.engine.Isend(c.context, peer, tag, slices.Clone(buf), pml.Standard)
	if err != nil || r.Engine() == nil { // over already
		return err
	}
	b := c.buffered
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reqs = append(slices.DeleteFunc(b.reqs, func(r pml.Request) bool {
		_, done, _ := c.engine.Take(&r) // as for Send, nobody hears of a receiver that has gone
		return done
	}), r)
	return nil
}

// FlushBuffer waits until all that this rank has sent in buffered mode, on whatever
// communicator, is with its receivers. The error wraps a *LostError if one of them has
// gone.
//
// MPI 4.1 section 3.6 (MPI_Buffer_flush, MPI_Buffer_detach).
func (c *Comm) FlushBuffer() error {
	const op = "flush buffer"
	if c == nil {
		return Wrap(op, ErrNoComm)
	}
	b := c.buffered
	b.mu.Lock()
	reqs := b.reqs
	b.reqs = nil
	b.mu.Unlock()
	var failed error
	c.engine.WaitAll(reqs, false, func(_ int, _ uint32, _ pml.Status, err error) {
		if failed == nil {
			failed = err
		}
	})
	return Wrap(op, failed)
}
