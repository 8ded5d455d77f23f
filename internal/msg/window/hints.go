package window

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// hints are those that a window has: the ones of the standard, as programs set them or by default. Only
// alloc_shared_noncontig and the alignment change what is done. With --check no_locks forbids locks.
type hints struct {
	mu    sync.Mutex
	given comm.Info
}

const (
	noncontiguous = "alloc_shared_noncontig"
	noLocks       = "no_locks"
)

// defaults are the hints that a window has without any that are given.
var defaults = []struct{ key, value string }{
	{noLocks, "false"}, {"accumulate_ordering", "rar,raw,war,waw"}, {"accumulate_ops", "same_op_no_op"},
	{"same_size", "false"}, {"same_disp_unit", "false"}, {noncontiguous, "false"},
	{"mpi_assert_memory_alloc_kinds", ""}, {"mpi_accumulate_granularity", "0"},
}

// booleans are the hints that are true or false.
var booleans = []string{noLocks, "same_size", "same_disp_unit", noncontiguous}

// set adds hints. A value that is none of its key is ignored, as the standard wants it, and so are other keys.
func (h *hints) set(info *comm.Info) error {
	if info == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
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
		if key == comm.KeyAlignment && comm.Alignment(info) > 0 || known(key) {
			h.given.Set(key, value)
		}
	}
	return nil
}

func known(key string) bool {
	return slices.ContainsFunc(defaults, func(d struct{ key, value string }) bool { return d.key == key })
}

// say tells whether a hint is true.
func (h *hints) say(key string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	value, _ := h.given.Get(key)
	return value == "true"
}

// alignment is that of the window's memory, 0 if there is no such hint.
func (h *hints) alignment() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return comm.Alignment(&h.given)
}

// all returns them in a new object.
func (h *hints) all() *comm.Info {
	h.mu.Lock()
	defer h.mu.Unlock()
	info := h.given.Clone()
	for _, d := range defaults {
		if _, ok := info.Get(d.key); !ok && d.value != "" {
			info.Set(d.key, d.value)
		}
	}
	return info
}

// SetInfo adds hints.
func (w *Window) SetInfo(info *comm.Info) error { return w.wrap("set info of", -1, w.hints.set(info)) }

// Info returns the hints that the window has, in a new object.
func (w *Window) Info() *comm.Info { return w.hints.all() }
