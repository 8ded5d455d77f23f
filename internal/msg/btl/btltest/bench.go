package btltest

import (
	"fmt"
	"os"
	"testing"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Exchange is one end of a benchmark between ranks 0 and 1, without a layer above.
type Exchange struct {
	m     btl.Module
	root  *job.Root
	peer  int
	src   []byte
	dst   []byte
	got   int
	await int
	sent  btl.Transfer
	taken btl.Transfer

	deliver func(*btl.Frame)
	ready   func() bool
	none    btl.Header
	out, in btl.Buffer // src and dst

	ZeroCopy bool // send by Offer and FallBack

	fail func(error) // does not return if there is an error
}

// NewExchange returns the end of a rank for messages of so many bytes.
func NewExchange(m btl.Module, root *job.Root, rank, bytes int) *Exchange {
	e := &Exchange{m: m, root: root, peer: 1 - rank, src: make([]byte, bytes), dst: make([]byte, bytes), fail: must}
	fill(e.src, rank)
	fill(e.dst, rank) // touched, so that no page fault is measured
	e.out.Bytes, e.in.Bytes = e.src, e.dst
	e.deliver = func(f *btl.Frame) {
		if f.Offered {
			if e.taken = m.Accept(f, &e.in); e.taken != nil {
				return
			}
		} else {
			copy(e.dst, f.Payload)
			m.Release(f)
		}
		e.got++
	}
	e.ready = func() bool { return e.look() || e.deserted() }
	return e
}

// look makes all progress that there is and tells whether what is awaited is there.
func (e *Exchange) look() bool {
	if e.sent != nil {
		if done, err := e.sent.Progress(); done {
			e.fail(err)
			e.sent = nil
		}
	}
	if e.taken != nil {
		if done, err := e.taken.Progress(); done {
			e.fail(err)
			e.taken = nil
			e.got++
		}
	} else if e.got < e.await { // what else there is may be for the next Exchange
		e.m.Poll(1, e.deliver)
	}
	return e.got >= e.await && e.sent == nil
}

// deserted fails if the peer has gone and has not done what is awaited.
func (e *Exchange) deserted() bool {
	if !e.root.Gone(e.peer) {
		return false
	}
	for range lastLooks {
		if e.look() {
			return true
		}
	}
	e.fail(&fault.LostError{Rank: e.peer})
	return false
}

// Send starts sending a message. Only one offered one may be underway.
func (e *Exchange) Send() {
	e.await = 0
	if e.ZeroCopy {
		e.attempt()
		return
	}
	for {
		if e.sent == nil && len(e.src) <= e.m.EagerLimit() {
			if t, ok := e.m.Send(e.peer, &e.none, e.src); ok {
				e.sent = t
				return
			}
		}
		if e.sent == nil {
			if t, ok := e.m.Offer(e.peer, &e.none, &e.out); ok {
				e.sent = t
				return
			}
		}
		e.fail(e.m.Sleep(e.ready, nil))
	}
}

// attempt offers a message and waits a moment for the receiver to take it.
func (e *Exchange) attempt() {
	for e.sent == nil {
		if e.sent, _ = e.m.Offer(e.peer, &e.none, &e.out); e.sent == nil && e.root.Gone(e.peer) {
			e.fail(&fault.LostError{Rank: e.peer})
		}
	}
	for range 100 {
		if e.look(); e.sent == nil {
			return
		}
	}
	if e.sent.(fallBacker).FallBack() {
		e.sent = nil
	}
}

// Wait blocks until so many messages have come since the last Wait, and what was
// sent is gone.
func (e *Exchange) Wait(messages int) {
	e.await = messages
	if !looks(e.root.Spin(), e.ready) {
		e.fail(e.m.Sleep(e.ready, nil))
	}
	e.got -= messages
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "btltest:", err)
		os.Exit(1)
	}
}

// Sizes are what the benchmarks send, in bytes.
func Sizes() []int {
	return []int{0, 8, 64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20}
}

// PingPong bounces n messages there and back. Rank 1 passes a nil b.
func (e *Exchange) PingPong(b *testing.B, rank, n int) {
	for range n {
		if rank == 0 {
			e.Send()
			e.Wait(1)
		} else {
			e.Wait(1)
			e.Send()
		}
	}
	e.Wait(0)
	if b != nil {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*n), "ns/halfround")
	}
}

// Stream sends n messages in windows of 64, each answered by an empty one.
func (e *Exchange) Stream(b *testing.B, rank, n int) {
	const window = 64
	for range n / window {
		if rank == 0 {
			for range window {
				e.Send()
			}
			e.Wait(1)
		} else {
			e.Wait(window)
			e.Send()
		}
	}
	e.Wait(0)
	if b != nil {
		b.ReportMetric(float64(n/window*window)/b.Elapsed().Seconds(), "messages/s")
	}
}
