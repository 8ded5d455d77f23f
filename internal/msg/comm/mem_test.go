package comm

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/mpi/fault"
)

// overMem runs f as ranks over btl/mem, which share an address space.
func overMem(t testing.TB, ranks, cpus int, o mem.Options, f func(*Comm) error) {
	t.Helper()
	root := jobtest.Create(t, job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: cpus}).Root()
	w := mem.New(root, o)
	var wg sync.WaitGroup
	for rank := range ranks {
		c := NewWorld(root, rank, w.Module(rank), Settings{}, Operators{})
		wg.Go(func() {
			defer root.MarkGone(rank)
			if err := errors.Join(f(c), c.Finalize()); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	wg.Wait()
}

// first returns the first error that there is.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func wantContains(err error, text string) error {
	if err == nil || !strings.Contains(err.Error(), text) {
		return fmt.Errorf("error %v does not have %q", err, text)
	}
	return nil
}

// Ranks that want different shared words beside a window make different windows.
func TestWindowsOfDifferentShapes(t *testing.T) {
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
		for range 3 {
			for _, more := range []int{0, 4096} {
				w, err := WinExpose(c, make([]byte, 8), WinSpec{Unit: 1, Control: 4096 + more*c.Rank()})
				switch {
				case more > 0:
					assert.ErrorContains(t, err, "makes a window of another kind")
					continue
				case err != nil:
					return err
				}
				words, err := w.Control()
				if err != nil {
					return err
				}
				words[c.Rank()]++
				if err := c.Barrier(); err != nil {
					return err
				}
				assert.Equal(t, []byte{1, 1, 0}, words[:3]) // no earlier window's
				if err := w.Free(); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Messages of a communicator go the way that fits it: plain ones the shortest, those of a freed one nowhere.
func TestPlainMessagesOfAnyCommunicator(t *testing.T) {
	overMem(t, 3, 3, mem.Options{}, func(c *Comm) error {
		turned, err := c.Split(0, -c.Rank()) // ranks in the other order
		if err != nil {
			return err
		}
		assert.EqualValues(t, plain, turned.state.Load())
		me := turned.Rank()
		var st Status
		if me == 0 {
			err = Send(turned, Standard, []byte{1, 2}, 1, 2, 7)
			for range 2 {
				err = errors.Join(err, Send(turned, Standard, []byte{1, 2}, 1, 2, 7))
			}
		} else if me == 2 {
			buf := make([]byte, 4)
			err = Recv(turned, &st, buf, 1, 0, 7)
			assert.Equal(t, []any{0, 7, []byte{1, 2, 0, 0}}, []any{st.Source, st.Tag, buf})
			r, bad := Irecv(turned, buf, 1, 0, 7)
			if bad != nil {
				return bad
			}
			st, bad = r.Wait()
			assert.Equal(t, []any{0, 7, nil}, []any{st.Source, st.Tag, bad})
			var long *fault.TruncateError
			assert.ErrorAs(t, Recv(turned, &st, buf[:1], 1, 0, 7), &long)
			assert.Equal(t, []int{0, 7}, []int{st.Source, st.Tag})
		}
		if err != nil {
			return err
		}
		var wrong *fault.RankError
		assert.ErrorAs(t, Send(turned, Standard, nil, 1, 3, 0), &wrong)
		if err := Send(turned, Standard, nil, 1, ProcNull, 0); err != nil {
			return err
		}
		if err := turned.Free(); err != nil {
			return err
		}
		assert.ErrorIs(t, Send(turned, Standard, nil, 1, 0, 0), ErrFreed)
		return nil
	})
}

// A copy of a communicator whose standard sends wait for their receivers sends likewise, though it is not checked.
func TestCopiesOfSynchronousCommunicators(t *testing.T) {
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
		c.synchronous = true
		d, err := c.Dup()
		if err == nil {
			assert.True(t, d.synchronous)
			assert.EqualValues(t, ready, d.state.Load(), "its messages do not go the shortest way")
		}
		return err
	})
}
