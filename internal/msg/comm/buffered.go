package comm

import (
	"slices"
	"sync"

	"github.com/gopvas/gopvas/internal/msg/pml"
)

// buffered are the sends in buffered mode of a process that are under way. Each has a copy
// of its message on the heap (MPI 4.1 section 3.6, MPI_BUFFER_AUTOMATIC): there is no
// buffer to attach, and no message that finds it full.
type buffered struct {
	mu   sync.Mutex
	sent []bufferedSend
}

// bufferedSend is one of them.
type bufferedSend struct {
	req   pml.Request // holds the copy
	bytes int
	apart *Comm // the communicator whose buffer it is in, nil: the one of the process
}

// BufferApart says where what c sends in buffered mode is from now on: in a buffer of its own, or in that of the
// process.
//
// MPI 4.1 section 3.6 (MPI_Comm_attach_buffer).
func BufferApart(c *Comm, apart bool) {
	if c.apart = nil; apart {
		c.apart = c
	}
}

// BufferedMessages returns how many messages are in the buffer that c sends from, and how many bytes they have in all.
// A message leaves the buffer when it is with its receiver.
func BufferedMessages(c *Comm) (messages, bytes int) {
	b, apart := &c.buffered, c.apart
	c.engine.Progress()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.prune()
	for _, m := range b.sent {
		if m.apart == apart {
			messages, bytes = messages+1, bytes+m.bytes
		}
	}
	return messages, bytes
}

// prune forgets the messages that are with their receivers. mu is held.
func (b *buffered) prune() {
	b.sent = slices.DeleteFunc(b.sent, func(m bufferedSend) bool {
		_, done, _ := m.req.Take()
		return done // as for Send, nobody hears of a receiver that has gone
	})
}

// take takes the messages out that are in one of some buffers.
func (b *buffered) take(from func(apart *Comm) bool) (reqs []pml.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent = slices.DeleteFunc(b.sent, func(m bufferedSend) bool {
		if from(m.apart) {
			reqs = append(reqs, m.req)
		}
		return from(m.apart)
	})
	return reqs
}

// Bsend sends a copy of buf to rank dst. It does not wait for the receiver: buf can be
// used again at once. FlushBuffer waits for what was sent so, and so does Finalize.
//
// MPI 4.1 section 3.4 (MPI_Bsend).
func Bsend(c *Comm, buf []byte, of Element, dst, tag int) error {
	peer, err := c.to(dst)
	if err == nil {
		err = c.bsend(buf, of, peer, tag)
	}
	return WrapSend("bsend", dst, tag, err)
}

// Ibsend is Bsend whose request is complete at once.
//
// MPI 4.1 section 3.7.2 (MPI_Ibsend).
func Ibsend(c *Comm, buf []byte, of Element, dst, tag int) (Request, error) {
	var r pml.Request
	peer, err := c.to(dst)
	if err == nil {
		err = c.bsend(buf, of, peer, tag)
	}
	if err == nil {
		r, err = c.engine.Isend(c.context, ProcNull, tag, nil, pml.Standard)
	}
	return Request{r}, WrapSend("ibsend", dst, tag, err)
}

// BsendInit makes a persistent request. Each start of it does what Ibsend does with the bytes that
// a function returns then. It can be started after c was freed, too.
//
// MPI 4.1 section 3.9 (MPI_Bsend_init).
func BsendInit(c *Comm, bytes func() ([]byte, error), of Element, dst, tag int) (Request, error) {
	peer, err := c.to(dst)
	if err != nil {
		return Request{}, WrapSend("bsend init", dst, tag, err)
	}
	return PrepareAnew(c, func() (Request, error) {
		b, err := bytes()
		if err == nil {
			err = c.bsend(b, of, peer, tag)
		}
		return Request{}, WrapSend("ibsend", dst, tag, err)
	})
}

// bsend is Bsend to a peer, a number of the engine.
func (c *Comm) bsend(buf []byte, of Element, peer, tag int) error {
	copied := Bytes(slices.Clone(buf))
	c.say(&copied, of)
	r, err := c.engine.IsendBuffer(c.context, peer, tag, copied, pml.Standard)
	if err != nil || r.Engine() == nil { // over already
		return err
	}
	b := &c.buffered
	b.mu.Lock()
	defer b.mu.Unlock()
	b.prune()
	b.sent = append(b.sent, bufferedSend{r, len(buf), c.apart})
	return nil
}

// FlushBuffer waits until all that this rank has sent in buffered mode, on whatever communicator,
// is with its receivers.
func (c *Comm) FlushBuffer() error {
	return flush(c, func(*Comm) bool { return true })
}

// FlushBufferOf is FlushBuffer for the buffer of one communicator, or if it is nil for that of the process.
func FlushBufferOf(c, apart *Comm) error {
	return flush(c, func(in *Comm) bool { return in == apart })
}

// flush waits until what is in some buffers is with its receivers.
func flush(c *Comm, from func(apart *Comm) bool) error {
	const op = "flush buffer"
	if err := c.made(); err != nil {
		return Wrap(op, err)
	}
	reqs := c.buffered.take(from)
	var failed error
	var waits pml.Waits
	waits.Begin(c.engine)
	for i := range reqs {
		if _, err := waits.Wait(&reqs[i]); failed == nil {
			failed = err
		}
	}
	waits.End()
	return Wrap(op, failed)
}

// IflushBufferOf is FlushBufferOf, nonblocking.
//
// MPI 4.1 section 3.6 (MPI_Buffer_iflush).
func IflushBufferOf(c, apart *Comm) (Request, error) {
	if err := c.made(); err != nil {
		return Request{}, Wrap("iflush buffer", err)
	}
	reqs := c.buffered.take(func(in *Comm) bool { return in == apart })
	t := &joined{inside: c.engine.Inside(), reqs: reqs, status: pml.Status{Source: AnySource, Tag: AnyTag}}
	r, err := c.engine.Begin(t, c.context)
	return Request{r}, Wrap("iflush buffer", err)
}
