package btltest

import (
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// senderHasGone: the last rank goes with an offer open that was not accepted, or was
// and is not done.
func senderHasGone(e *env) {
	last := e.root.Ranks() - 1
	p := newPost(e)
	if e.rank == last {
		src := p.message(0, 5<<20)
		for to := range last {
			p.await2(func() bool { _, ok := e.Offer(to, &btl.Header{}, &btl.Buffer{Bytes: src}); return ok })
		}
		exposed.Store(e, src) // the memory of a dead rank stays, in this suite too
		e.barrier()
		return
	}
	e.barrier()
	p.awaitDespite(func() bool { return e.root.Gone(last) })
	var frame btl.Frame
	p.awaitDespite(func() bool { return e.Poll(1, func(f *btl.Frame) { frame = *f }) == 1 })
	require.EqualValues(e, last, frame.Source)
	e.Senders(func(rank int) { require.NotEqual(e, last, rank, "it has sent nothing else") })
	dst := make([]byte, frame.Length)
	t := e.Accept(&frame, &btl.Buffer{Bytes: dst})
	for done := t == nil; !done; {
		var err error
		if done, err = t.Progress(); err != nil {
			var lost *fault.LostError
			require.ErrorAs(e, err, &lost)
			require.Equal(e, last, lost.Rank)
			require.False(e, e.Direct(), "what can be read is read")
			return
		}
	}
	e.check(dst, mark(int32(last), 0), 0)
}

// receiverHasGone: an offer to the last rank ends with an error when that has gone.
func receiverHasGone(e *env) {
	last := e.root.Ranks() - 1
	p := newPost(e)
	if e.rank == last {
		e.barrier()
		return
	}
	var t btl.Transfer
	p.await2(func() (ok bool) {
		t, ok = e.Offer(last, &btl.Header{}, &btl.Buffer{Bytes: p.message(0, 300_000)})
		return ok
	})
	e.barrier()
	var err error
	p.awaitDespite(func() (done bool) { done, err = t.Progress(); return done })
	var lost *fault.LostError
	require.ErrorAs(e, err, &lost)
	require.Equal(e, last, lost.Rank)
	for range 2000 { // and what is sent there hurts nobody
		e.Send(last, &btl.Header{}, nil)
	}
}

// Survive sends to all ranks and receives from all until one has gone, killed at
// whatever instruction, and then shows that the others still reach one another. It
// is for ranks that are processes; it returns what was found wrong.
func Survive(m btl.Module, root *job.Root, rank int, seed uint64) error {
	return Case{"survive", func(e *env) { survive(e, seed) }}.Run(m, root, rank)
}

func survive(e *env, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, uint64(e.rank)))
	src, dst := make([]byte, 1<<20), make([]byte, 1<<20)
	n := e.root.Ranks()
	var open []btl.Transfer
	last := make([]int, n) // messages by source after the loss
	look := func() bool {
		e.Poll(8, func(f *btl.Frame) {
			last[f.Source] += int(f.Tag)
			if !f.Offered {
				e.Release(f)
			} else if t := e.Accept(f, &btl.Buffer{Bytes: dst}); t != nil {
				open = append(open, t)
			}
		})
		left := open[:0]
		for _, t := range open {
			done, err := t.Progress()
			var lost *fault.LostError
			if err != nil {
				require.ErrorAs(e, err, &lost)
			}
			if !done {
				left = append(left, t)
			}
		}
		open = left
		return true
	}
	send := func(to int, tag int32, size int) (sent bool) {
		h := &btl.Header{Tag: tag}
		if size <= e.EagerLimit() {
			var t btl.Transfer
			if t, sent = e.Send(to, h, src[:size]); t != nil {
				open = append(open, t)
			}
		}
		if !sent && len(open) < 50 {
			var t btl.Transfer
			if t, sent = e.Offer(to, h, &btl.Buffer{Bytes: src[:size]}); sent {
				open = append(open, t)
			}
		}
		return sent
	}
	sizes := []int{0, 8, 80, 300, 4000, 20_000, 200_000}
	for e.root.GoneCount() == 0 {
		send(rng.IntN(n), 0, sizes[rng.IntN(len(sizes))])
		look()
	}
	reunite(e, look, send, last, &open)
}

// reunite sends a last message to every rank that is left and waits for theirs.
func reunite(e *env, look func() bool, send func(to int, tag int32, size int) bool, last []int, open *[]btl.Transfer) {
	n := e.root.Ranks()
	gone, _ := e.root.Lost()
	for to := range n {
		if to == gone {
			continue
		}
		require.NoError(e, e.Sleep(func() bool { look(); return send(to, 1, 100) }, nil))
	}
	require.NoError(e, e.Sleep(func() bool {
		look()
		for from := range n {
			if from != gone && last[from] == 0 {
				return false
			}
		}
		return len(*open) == 0
	}, nil))
}
