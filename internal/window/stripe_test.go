package window

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/btl/mem"
	"github.com/gopvas/gopvas/internal/coll/operator"
	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/job/jobtest"
	"github.com/gopvas/gopvas/internal/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Each word of a call is changed as the flag of the part says in which it begins.
func TestAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0))
	for range 2000 {
		var s stripe
		s.singles.Store(random.Uint64() & random.Uint64() & random.Uint64())
		if random.IntN(3) == 0 {
			s.singles.Store(^s.singles.Load())
		}
		size := 4 << random.IntN(2)
		at := uintptr(5<<stripeShift + 4*random.IntN(1<<stripeShift/4))
		n := size * (1 + random.IntN((int(stripeEnd(at)-at)+size-1)/size))
		var got, want []bool
		for done := 0; done < n; {
			k, singles := s.alike(at+uintptr(done), n-done, size)
			require.True(t, k > 0 && k%size == 0 && done+k <= n, "%d of %d bytes from %#x on", k, n-done, at)
			for range k / size {
				got = append(got, singles)
			}
			done += k
		}
		for i := at; i < at+uintptr(n); i += uintptr(size) {
			want = append(want, s.singles.Load()>>(i/256%64)&1 != 0)
		}
		require.Equal(t, want, got, "flags %#x, %d bytes from %#x on", s.singles.Load(), n, at)
	}
}

// A rank goes while it has the lock of a stripe. Calls that need it fail, and name the rank. Others go on: in other
// stripes, and of one word where that is changed by instructions.
func TestStripeOfALostRank(t *testing.T) {
	if testkit.Race {
		t.Skip("the locks lie in mapped memory, which the race detector does not see")
	}
	const lost = 2
	root := jobtest.Create(t, job.Config{Ranks: 3, BTL: job.BTLSM, CPUs: 2}).Root()
	world := mem.New(root, mem.Options{})
	jobtest.Ranks(t, root, func(rank int) error {
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
			_, err := w.enter(w.targets[0].salt, false)
			return errors.Join(err, c.Barrier())
		}
		if err := c.Barrier(); err != nil {
			return err
		}
		a := w.addOne(100)
		b := w.addMany(100, 50)
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
	for _, flags := range []uint64{0, 1, ^uint64(0)} {
		w, err := New(c, Spec{Flavor: Allocated, Bytes: 64 << 10, Unit: 8})
		require.NoError(b, err)
		require.NoError(b, w.LockAll(0))
		for i := range w.stripes {
			w.stripes[i].singles.Store(flags)
		}
		for _, n := range []int{1, 64, 8192} {
			b.Run(fmt.Sprintf("bytes=%d/flags=%x", 8*n, flags), func(b *testing.B) {
				from, to := comm.Bytes(make([]byte, 8*n)), Place{Bytes: 8 * n}
				for b.Loop() {
					err = errors.Join(err, w.Accumulate(sumOfWords, words, &from, &to))
				}
			})
		}
		require.NoError(b, errors.Join(err, w.UnlockAll(), w.Free()))
	}
}
