package btltest

import (
	"math/rand/v2"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
)

// A fallBacker is a Transfer of Offer that can fall back, as Send of a module with Direct does by itself. Tests make it
// fall back whenever they like, also in jobs where Send makes no zero-copy attempt.
type fallBacker interface {
	// FallBack copies the bytes aside. If it returns true the buffer is the caller's
	// again, and the Transfer is over for the caller as after Progress with true. If it
	// returns false nothing has changed: the receiver is taking the bytes just now, or the
	// message is longer than EagerLimit.
	FallBack() bool
}

// fallbackMessages: short messages that are offered and then fall back arrive whole,
// in order, whether the receiver takes them before, meanwhile or after, and the
// sender's buffer is its own again.
func fallbackMessages(e *env) {
	p := newPost(e)
	n := e.root.Ranks()
	rng := rand.New(rand.NewPCG(11, uint64(e.rank)))
	each, fewer := 800/n, 100/n
	src := make([]byte, e.EagerLimit())
	h := func(to int, tag int32, n int) *btl.Header { return p.header(to, tag, n) }
	for tag := int32(0); tag < int32(each); tag++ {
		for to := range n {
			size := rng.IntN(e.EagerLimit() + 1)
			fill(src[:size], mark(int32(e.rank), tag))
			var t btl.Transfer
			p.await(func() (ok bool) {
				t, ok = e.Offer(to, h(to, tag, size), &btl.Buffer{Bytes: src[:size]})
				return ok
			})
			over := false
			for range rng.IntN(4) {
				if over {
					break
				}
				done, err := t.Progress()
				require.NoError(e, err)
				over = done
			}
			d, able := t.(fallBacker)
			require.True(e, able || !e.Direct())
			if !able {
				each = fewer // offers like those of other cases
			}
			if able && !over {
				over = d.FallBack()
			}
			if !over {
				p.await(func() bool {
					done, err := t.Progress()
					require.NoError(e, err)
					return done
				})
			}
			clear(src) // it is this rank's again
		}
		if rng.IntN(8) == 0 {
			p.progress()
		}
	}
	p.wait(each * n)
	p.sync(1)
}

// fallbackWithoutBuffers: nobody accepts. More messages fall back than there are eager buffers, and all are delivered
// once the receiver accepts.
func fallbackWithoutBuffers(e *env) {
	p := newPost(e)
	last := e.root.Ranks() - 1
	var frames []btl.Frame
	keep := func(f *btl.Frame) { frames = append(frames, *f) }
	fallback := int32(0)
	for full := 0; full < 50 && fallback < 500; {
		src := p.message(fallback, 700)
		t, ok := e.Offer(last, p.header(last, fallback, 700), &btl.Buffer{Bytes: src})
		e.Poll(5, keep)
		if !ok {
			full++
			time.Sleep(100 * time.Microsecond)
			continue
		}
		fallback++
		if d, able := t.(fallBacker); !able || !e.Direct() || len(src) > e.EagerLimit() {
			p.sent = append(p.sent, t)
			full++
		} else {
			require.True(e, d.FallBack())
			clear(src)
		}
	}
	e.barrier()
	for e.Poll(100, keep) > 0 {
	}
	for i := range frames {
		p.take(&frames[i])
	}
	p.wait(0)
	p.sync(1)
}
