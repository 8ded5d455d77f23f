package window

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/coll/operator"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// A rank goes while it has the lock of a stripe. Calls that need it fail, and name the rank. Others go on: in other
// stripes, and of one word where that is changed by instructions. In a job that survives the lock is taken back.
func TestStripeOfALostRank(t *testing.T) {
	if testkit.Race {
		t.Skip("the locks lie in mapped memory, which the race detector does not see")
	}
	for _, survive := range []bool{false, true} {
		loseStripe(t, survive)
	}
}

func loseStripe(t *testing.T, survive bool) {
	const lost = 2
	root := jobtest.Create(t, job.Config{Ranks: 3, BTL: job.BTLSM, CPUs: 2,
		Settings: job.Settings{Survive: survive}}).Root()
	world := mem.New(root, mem.Options{})
	var using sync.WaitGroup // ranks whose target, rank 0, has to stay
	using.Add(2)
	jobtest.Ranks(t, root, func(rank int) error {
		if rank != lost {
			defer using.Wait()
			defer using.Done()
		}
		c := comm.NewWorld(root, rank, world.Module(rank), comm.Settings{}, comm.Operators{})
		w, err := New(c, Spec{Flavor: Allocated, Bytes: 64 << 10, Unit: 8})
		if err != nil {
			return err
		}
		if err := w.LockAll(0); err != nil {
			return err
		}
		if err := w.addOne(3); err != nil { // its part has a flag from now on
			return err
		}
		if rank == lost {
			_, err := w.words.Enter(w.targets[0].salt, false)
			return errors.Join(err, c.Barrier())
		}
		if err := c.Barrier(); err != nil {
			return err
		}
		a := w.addOne(100)
		b := w.addMany(100, 50)
		if survive {
			return errors.Join(a, b)
		}
		for _, err := range []error{a, b} {
			if e, ok := errors.AsType[*fault.LostError](err); !ok || e.Rank != lost {
				return fmt.Errorf("rank %d is told %w", rank, err)
			}
		}
		return errors.Join(w.addOne(4), w.addOne(4000), w.addMany(4000, 100))
	})
}

var (
	words      = &Element{Size: 8, Word: true}
	sumOfWords = Op{Code: operator.Sum, On: operator.Of(operator.Sum, operator.Int64)}
)

// addOne adds 1 to a word of the first rank.
func (w *Window) addOne(at int) error {
	var one, was [8]byte
	binary.NativeEndian.PutUint64(one[:], 1)
	return w.FetchAndOp(sumOfWords, words, one[:], was[:], &Place{Disp: at, Bytes: 8})
}

// addMany adds to words.
func (w *Window) addMany(at, n int) error {
	b := comm.Bytes(make([]byte, 8*n))
	return w.Accumulate(sumOfWords, words, &b, &Place{Disp: at, Bytes: 8 * n})
}

// BenchmarkAccumulate: some words, in parts that have flags or not.
func BenchmarkAccumulate(b *testing.B) {
	root := jobtest.Create(b, job.Config{Ranks: 1, BTL: job.BTLSM, CPUs: 1}).Root()
	c := comm.NewWorld(root, 0, mem.New(root, mem.Options{}).Module(0), comm.Settings{}, comm.Operators{})
	const bytes = 64 << 10
	for flags, step := range map[string]int{"none": bytes, "first": 16 << 10, "all": 256} {
		w, err := New(c, Spec{Flavor: Allocated, Bytes: bytes, Unit: 8})
		require.NoError(b, err)
		require.NoError(b, w.LockAll(0))
		for at := 0; at < bytes && step < bytes; at += step {
			require.NoError(b, w.words.Single(w.targets[0].salt+uintptr(at), false))
		}
		for _, n := range []int{1, 64, 8192} {
			b.Run(fmt.Sprintf("bytes=%d/flags=%s", 8*n, flags), func(b *testing.B) {
				from, to := comm.Bytes(make([]byte, 8*n)), Place{Bytes: 8 * n}
				for b.Loop() {
					err = errors.Join(err, w.Accumulate(sumOfWords, words, &from, &to))
				}
			})
		}
		require.NoError(b, errors.Join(err, w.UnlockAll(), w.Free()))
	}
}
