package window

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gopvas/gopvas/internal/comm"
)

// hints are those that a window has: the ones that programs set, and the defaults of the standard. All but
// alloc_shared_noncontig are kept and returned, and nothing else.
type hints struct{ given comm.Info }

const noncontiguous = "alloc_shared_noncontig"

// defaults are the hints that a window has without any that are given.
var defaults = []struct{ key, value string }{
	{"no_locks", "false"}, {"accumulate_ordering", "rar,raw,war,waw"}, {"accumulate_ops", "same_op_no_op"},
	{"same_size", "false"}, {"same_disp_unit", "false"}, {noncontiguous, "false"},
	{"mpi_assert_memory_alloc_kinds", ""}, {"mpi_accumulate_granularity", "0"},
}

// booleans are the hints that are true or false.
var booleans = []string{"no_locks", "same_size", "same_disp_unit", noncontiguous}

// set adds hints. A value that is none of its key is ignored, as the standard wants it; other keys are kept.
func (h *hints) set(info *comm.Info) error {
	if info == nil {
		return nil
	}
	for i := range info.Len() {
		key := info.Key(i)
		value, _ := info.Get(key)
		if key == "mpi_accumulate_granularity" {
			if n, err := strconv.Atoi(value); err != nil || n < 0 {
				return fmt.Errorf("%w: the hint %s is %q: pass a number of bytes", ErrArgument, key, value)
			}
		}
		if slices.Contains(booleans, key) && value != "true" && value != "false" {
			continue
		}
		h.given.Set(key, value)
	}
	return nil
}

// apart tells whether the memory of each rank of a shared window lies by itself.
func (h *hints) apart() bool {
	value, _ := h.given.Get(noncontiguous)
	return value == "true"
}

// hinted tells whether a hint of the window is true.
func (w *Window) hinted(key string) bool {
	value, _ := w.Info().Get(key)
	return value == "true"
}

// SetInfo adds hints. They change nothing.
func (w *Window) SetInfo(info *comm.Info) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wrap("set info of", -1, w.hints.set(info))
}

// Info returns the hints that the window has, in a new object.
func (w *Window) Info() *comm.Info {
	w.mu.Lock()
	defer w.mu.Unlock()
	info := w.hints.given.Clone()
	for _, d := range defaults {
		if _, ok := info.Get(d.key); !ok && d.value != "" {
			info.Set(d.key, d.value)
		}
	}
	return info
}
