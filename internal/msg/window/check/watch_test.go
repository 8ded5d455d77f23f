package check

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/window/epoch"
	"github.com/gopvas/gopvas/internal/msg/window/lock"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/trace"
)

// watched is a rank of a window whose calls are watched.
type watched struct {
	t *testing.T
	*Watch
	state epoch.State
	words lock.Words
}

// window is that of some ranks, which one goroutine plays.
func window(t *testing.T, ranks int, checks bool) (root *job.Root, all []*watched) {
	root = jobtest.Create(t, job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: 2,
		Settings: job.Settings{Stats: true}}).Root()
	world := mem.New(root, mem.Options{})
	words := make([]byte, lock.Size(ranks))
	var tables []byte
	for rank := range ranks {
		c := comm.NewWorld(root, rank, world.Module(rank), comm.Settings{}, comm.Operators{})
		comm.SetCheck(c, checks)
		w := &watched{t: t}
		w.state.Init(ranks, errors.New("freed"))
		w.words.Lay(c, words)
		w.Watch = New(c, &w.words, &w.state)
		if tables == nil {
			tables = make([]byte, w.Size())
		}
		w.Lay(tables)
		all = append(all, w)
	}
	return root, all
}

// operate does an operation on the bytes from lo to hi of a target.
func (w *watched) operate(by uint16, target int, lo, hi uintptr) error {
	_, err := w.state.Permit(target)
	require.NoError(w.t, err)
	did := false
	err = w.Operation(by, by != Get, target, int(hi-lo), func() []datatype.Segment {
		return []datatype.Segment{{Addr: lo, Len: uint64(hi - lo)}}
	}, func() error { did = true; return nil })
	require.Equal(w.t, err == nil, did)
	return err
}

func (w *watched) put(target int) error { return w.operate(Put, target, 0, 8) }

func (w *watched) call(k trace.Kind, rank int, do func() error) {
	w.t.Helper()
	require.NoError(w.t, w.Call(k, rank, do))
}

func (w *watched) lock(target int) {
	w.call(trace.WinLock, target, func() error { return w.state.Lock(target, epoch.Open) })
}

func nothing() error { return nil }

func fence(t *testing.T, a epoch.Assert, all ...*watched) {
	for _, w := range all {
		require.NoError(t, w.Fence(a, "", func() error { w.state.Fence(a); return w.state.MayFence() }))
	}
}

// An operation under a lock stays in the way of others until its rank has called Flush or Unlock for the target.
func TestConflictsOfLocks(t *testing.T) {
	_, all := window(t, 3, true)
	a, b := all[0], all[1]
	for _, w := range []*watched{a, b} {
		w.lock(0)
		w.lock(2)
	}
	require.NoError(t, a.put(2))
	err := b.put(2)
	require.ErrorIs(t, err, ErrConflict)
	require.EqualError(t, err, "accesses conflict: rank 0 has accessed bytes 0 to 7 by Put in an epoch of Lock "+
		"without Flush since then: only accumulates may meet")
	require.NoError(t, b.operate(Put, 2, 8, 16))
	require.NoError(t, b.put(0), "another target")
	require.Error(t, a.put(0))
	b.Completed(0)
	require.NoError(t, a.put(0))

	done := map[string]func(){
		"flush":     func() { a.call(trace.WinFlush, 2, nothing) },
		"flush all": func() { a.call(trace.WinFlush, -1, nothing) },
		"request":   func() { a.Completed(2) },
		"unlock": func() {
			a.call(trace.WinUnlock, 2, func() error { _, err := a.state.Unlock(2); return err })
			a.lock(2)
		},
	}
	for name, f := range done {
		a.call(trace.WinFlush, 0, nothing)
		a.Completed(0)
		a.Completed(comm.ProcNull)
		b.call(trace.WinFlush, 2, nothing)
		a.call(trace.WinWait, -1, nothing) // for others, beside its locks
		require.Error(t, b.put(2), name)
		f()
		require.NoError(t, b.put(2), name)
		b.call(trace.WinFlush, 2, nothing)
		require.NoError(t, a.put(2), name)
	}
}

// An operation between fences is in the way of others until the next one.
func TestConflictsOfFences(t *testing.T) {
	_, all := window(t, 3, true)
	for number := range 3 {
		fence(t, 0, all...)
		require.NoError(t, all[0].put(2))
		all[0].call(trace.WinFlush, 2, nothing)
		err := all[1].put(2)
		require.ErrorIs(t, err, ErrConflict)
		require.ErrorContains(t, err, "in an epoch of Fence that is this one, number "+string(rune('1'+number)))
	}
	fence(t, 0, all...)
	require.NoError(t, all[0].operate(Accumulate, 2, 0, 8))
	require.NoError(t, all[1].operate(FetchAndOp, 2, 0, 8))
	require.Error(t, all[1].operate(Get, 2, 0, 8))
	require.NoError(t, all[1].operate(Get, 2, 0, 0), "no bytes")
}

// An operation after Start is in the way of others until its target has called Wait.
func TestConflictsOfStart(t *testing.T) {
	_, all := window(t, 3, true)
	for _, w := range all[:2] {
		require.NoError(t, w.state.Start([]int{2}))
		w.state.Open()
	}
	for range 2 {
		require.NoError(t, all[0].put(2))
		require.Error(t, all[2].Call(trace.WinWait, -1, func() error { return errors.New("a rank has gone") }))
		all[0].call(trace.WinFlush, -1, nothing)
		all[0].call(trace.WinWait, -1, nothing) // of its own memory
		require.ErrorContains(t, all[1].put(2), "in an epoch of Start that the target has not ended")
		all[2].call(trace.WinWait, -1, nothing)
		require.NoError(t, all[1].put(2))
		all[2].Waited()
	}
}

// Two fences between which a lock is taken begin and end an epoch, unless the program says otherwise: a warning, once.
func TestMixedEpochs(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	was := os.Stderr
	os.Stderr = file
	defer func() { os.Stderr = was }()
	said := func() string {
		b, err := os.ReadFile(file.Name())
		require.NoError(t, err)
		require.NoError(t, file.Truncate(0))
		_, err = file.Seek(0, 0)
		require.NoError(t, err)
		return string(b)
	}
	_, all := window(t, 2, true)
	w := all[0]
	locks := func() {
		w.lock(1)
		w.call(trace.WinUnlock, 1, func() error { _, err := w.state.Unlock(1); return err })
	}
	fence(t, epoch.NoSucceed, w)
	locks()
	fence(t, epoch.NoPrecede, w)
	require.Error(t, w.Call(trace.WinLock, 5, func() error { return errors.New("no such rank") }))
	fence(t, 0, w)
	locks()
	fence(t, epoch.NoPrecede, w)
	fence(t, 0, w)
	fence(t, 0, w)
	require.Empty(t, said())
	for i, name := range []string{"sums", ""} {
		locks()
		require.NoError(t, w.Fence(0, name, func() error { w.state.Fence(0); return nil }))
		if i > 0 {
			require.Empty(t, said(), "it has been said")
			break
		}
		require.Contains(t, said(), `warning: window "sums": a lock was taken between two fences, which begin and end `+
			"an epoch: pass MPI_MODE_NOSUCCEED to the first\n")
	}
	fence(t, 0, all[1])
	all[1].lock(0)
	fence(t, 0, all[1])
	require.Contains(t, said(), "warning: a window without a name: a lock was taken")
}

// A fence that says that nothing precedes it ends no epoch with operations.
func TestNothingPrecedes(t *testing.T) {
	_, all := window(t, 2, true)
	w := all[0]
	fence(t, epoch.NoPrecede, w)
	fence(t, epoch.NoPrecede, w)
	require.NoError(t, w.put(1))
	again := func() error { w.state.Fence(0); return nil }
	require.EqualError(t, w.Fence(epoch.NoPrecede, "", again), "wrong synchronisation: Fence with MPI_MODE_NOPRECEDE "+
		"ends an epoch that has operations")
	require.NoError(t, w.put(1))
	require.NoError(t, w.Fence(0, "", again))
	lost := errors.New("a rank has gone")
	require.ErrorIs(t, w.Fence(0, "", func() error { return lost }), lost)
}

// Calls of other windows are counted, or not even that, and never refused.
func TestUnchecked(t *testing.T) {
	counted, all := window(t, 2, false)
	require.Zero(t, all[0].Size())
	for rank, w := range all {
		w.lock(0)
		require.NotContains(t, counted.Counters(rank), uint64(8))
		require.NoError(t, w.put(0))
		require.Contains(t, counted.Counters(rank), uint64(8), "bytes")
		w.Completed(0)
		w.call(trace.WinFlush, 0, nothing)
		w.call(trace.WinWait, -1, nothing)
		fence(t, epoch.NoPrecede, w)
	}
	require.Zero(t, (*Watch)(nil).Size())
	require.Equal(t, []int{1, -1, -1}, []int{all[0].peer(1), all[0].peer(2), all[0].peer(-1)})

	root := jobtest.Create(t, job.Config{Ranks: 1, BTL: job.BTLSM, CPUs: 2}).Root()
	c := comm.NewWorld(root, 0, mem.New(root, mem.Options{}).Module(0), comm.Settings{}, comm.Operators{})
	require.Nil(t, New(c, nil, nil))
	comm.SetCheck(c, true)
	require.NotNil(t, New(c, nil, nil))
}

// The oldest operation is forgotten where there is no room, and no other one.
func TestOldestIsForgotten(t *testing.T) {
	_, all := window(t, 2, true)
	for _, w := range all {
		w.lock(0)
	}
	for i := range uintptr(mostAccesses + 1) {
		require.NoError(t, all[0].operate(Put, 0, 8*i, 8*i+8))
	}
	require.NoError(t, all[1].operate(Put, 0, 0, 8)) // in the place of the second one
	require.NoError(t, all[1].operate(Get, 0, 8, 16))
	require.Error(t, all[1].operate(Get, 0, 24, 32))
}
