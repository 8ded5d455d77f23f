package launcher

import (
	"context"

	"github.com/gopvas/gopvas/internal/node/job"
)

// attend calls hold at each hold point. It ends with the first point that
// is not reached by all ranks.
func (h *holds) attend(ctx context.Context, hold func(job.Hold, Processes), p Processes) {
	for _, point := range []job.Hold{job.HoldInit, job.HoldFinalize} {
		reached := false
		h.use(func(root *job.Root) {
			reached = root.AwaitHold(ctx, point) == nil
			p.SharedBytes = root.SharedBytes()
		})
		if !reached {
			return
		}
		hold(point, p)
		h.use(func(root *job.Root) { root.Release(point) })
	}
}

// use calls f unless the memory may be closed.
func (h *holds) use(f func(*job.Root)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ended {
		f(h.root)
	}
}

// end is called when the context of attend has ended. Nothing touches the memory after it has
// returned.
func (h *holds) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
}
