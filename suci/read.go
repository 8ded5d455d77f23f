package suci

import (
	"context"
	"fmt"

	"github.com/gopvas/gopvas/suci/internal/protocol"
)

// Received is a block that was read. Its data belongs to the reader until Free.
type Received struct {
	From     ID
	Priority uint8
	Place    uint32 // what it was expected as, 0: nothing
	Data     []byte
	Err      error // ErrPlace or ErrAbandoned: Data is not valid

	endpoint *Endpoint
	in       *protocol.Incoming
}

// Read waits for the next block: the most urgent one, of equally urgent ones the first
// that was complete. The reader must Free it.
func (e *Endpoint) Read(ctx context.Context) (Received, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.unread.Load() == 0 {
		if err := e.await(ctx, e.readable); err != nil {
			return Received{}, err
		}
	}
	return e.take(), nil
}

// TryRead returns the next block if there is one. Without one it takes in what has come
// to the socket and looks again. It does not wait.
func (e *Endpoint) TryRead() (r Received, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.unread.Load() == 0 && !e.closed {
		e.poll()
	}
	if e.unread.Load() == 0 {
		return Received{}, false
	}
	return e.take(), true
}

// Next returns the next block if there is one. Unlike TryRead it does not look at the
// socket.
func (e *Endpoint) Next() (r Received, ok bool) {
	if e.unread.Load() == 0 { // as mostly when a program polls
		return Received{}, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.unread.Load() == 0 {
		return Received{}, false
	}
	return e.take(), true
}

// Ready waits for the next block and returns its size and sender without reading it.
func (e *Endpoint) Ready(ctx context.Context) (size int, from ID, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.await(ctx, e.readable); err != nil {
		return 0, 0, err
	}
	in := e.inbox[e.first()].blocks[e.inbox[e.first()].head]
	return len(in.Data), in.From, nil
}

// Behind returns a function that tells whether a socket of the loop may still have packets that had come before
// Behind was called. It turns false however many go on coming; if none come it may stay true.
func (e *Endpoint) Behind() func() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	drives := e.drives
	until := make([]uint64, len(drives))
	for i, d := range drives {
		until[i] = d.e.socket.Arrived()
	}
	return func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		for i, d := range drives {
			if !d.e.closed && d.e.socket.Received < until[i] {
				return true
			}
		}
		return false
	}
}

// Poll takes in what has come to the socket and sends what is due. It tells whether
// anything came, and whether packets have come or gone since the last Poll, whoever moved them: a Poll
// that finds nothing takes little time only if they have not. A program that calls it often needs
// no other progress.
func (e *Endpoint) Poll() (came, moved bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false, false
	}
	came = e.poll()
	moved, e.moved = e.moved, false
	return came, moved
}

// Unread is how many blocks have come that nobody has read. It takes no lock: stop of Rest may call it.
func (e *Endpoint) Unread() int { return int(e.unread.Load()) }

func (e *Endpoint) readable() bool { return e.unread.Load() > 0 }

// first is the priority of the next block. There must be one.
func (e *Endpoint) first() int {
	i := len(e.inbox) - 1
	for e.inbox[i].len() == 0 {
		i--
	}
	return i
}

func (e *Endpoint) take() Received {
	in := e.inbox[e.first()].pop()
	e.unread.Add(-1)
	return Received{in.From, in.Priority, in.Place, in.Data, in.Err, e, in}
}

// Free gives the block's memory back. The data must not be used any more, unless it is
// the program's own (see Expect).
func (r *Received) Free() {
	if r.in == nil {
		return
	}
	e := r.endpoint
	e.mu.Lock()
	defer e.mu.Unlock()
	short := e.machine.Free(r.in)
	r.in, r.Data = nil, nil
	if short && !e.closed {
		e.poke(e.now()) // the senders may send again
	}
}

// Expect has the block that a peer writes to a place received straight into buf, without
// memory of the endpoint and however long it is. The place is any number but 0 that the
// two agree on; it serves for one block. That block is read like others. buf belongs to
// the endpoint until then, or until Forget returns true.
func (e *Endpoint) Expect(from ID, place uint32, buf []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if place == 0 || e.machine.Expects(from, place) {
		return fmt.Errorf("suci: expect block %d from %d: the place is 0 or in use; take another number", place, from)
	}
	e.machine.Expect(from, place, buf)
	return nil
}

// Forget takes an Expect back. It returns false if the block is being received already:
// then it will be read, whole or with an error.
func (e *Endpoint) Forget(from ID, place uint32) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.machine.Forget(from, place)
}
