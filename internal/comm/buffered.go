package comm

import (
	"slices"
	"sync"

	"github.com/gopvas/gopvas/internal/pml"
)

// buffered are the sends in buffered mode of a process that are under way. Each has a copy
// of its message on the heap (MPI 4.1 section 3.6, MPI_BUFFER_AUTOMATIC): there is no
// buffer to attach, and no message that finds it full.
type buffered struct {
	mu   sync.Mutex
	reqs []pml.Request // each holds its copy
	sent []int         // their lengths
}

// BufferedMessages returns how many messages of this rank in buffered mode are not with their
// receivers yet, and how long they are together.
func BufferedMessages(c *Comm) (messages, bytes int) {
	b := c.buffered
	c.engine.Progress()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.prune(c.engine)
	for _, n := range b.sent {
		bytes += n
	}
	return len(b.reqs), bytes
}

// prune forgets the messages that are with their receivers. mu is held.
func (b *buffered) prune(e *pml.Engine) {
	left := 0
	for i := range b.reqs {
		r := b.reqs[i]
		if _, done, _ := e.Take(&r); done { // as for Send, nobody hears of a receiver that has gone
			continue
		}
		b.reqs[left], b.sent[left] = r, b.sent[i]
		left++
	}
	clear(b.reqs[left:])
	b.reqs, b.sent = b.reqs[:left], b.sent[:left]
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
	b := c.buffered
	b.mu.Lock()
	defer b.mu.Unlock()
	b.prune(c.engine)
	b.reqs, b.sent = append(b.reqs, r), append(b.sent, len(buf))
	return nil
}

// FlushBuffer waits until all that this rank has sent in buffered mode, on whatever communicator,
// is with its receivers.
func (c *Comm) FlushBuffer() error {
	const op = "flush buffer"
	if err := c.made(); err != nil {
		return Wrap(op, err)
	}
	b := c.buffered
	b.mu.Lock()
	reqs := b.reqs
	b.reqs, b.sent = nil, nil
	b.mu.Unlock()
	var failed error
	waits := c.engine.BeginWaits()
	for i := range reqs {
		if _, err := waits.Wait(&reqs[i]); failed == nil {
			failed = err
		}
	}
	waits.End()
	return Wrap(op, failed)
}

// IflushBuffer is FlushBuffer, nonblocking.
//
// MPI 4.1 section 3.6 (MPI_Buffer_iflush).
func IflushBuffer(c *Comm) (Request, error) {
	if err := c.made(); err != nil {
		return Request{}, Wrap("iflush buffer", err)
	}
	b := c.buffered
	b.mu.Lock()
	t := &joined{inside: c.engine.Inside(), reqs: b.reqs, status: pml.Status{Source: AnySource, Tag: AnyTag}}
	b.reqs, b.sent = nil, nil
	b.mu.Unlock()
	r, err := c.engine.Begin(t, c.context)
	return Request{r}, Wrap("iflush buffer", err)
}
