package comm

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopvas/gopvas/internal/btl/mem"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/job/jobtest"
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
				if err := first(c.Barrier(), nil); err != nil {
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
