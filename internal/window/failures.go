package window

import (
	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/internal/job"
)

// Windows in a job that survives the failure of ranks.

// Failed returns the ranks of the window that have failed: see comm.Failed.
func (w *Window) Failed() *comm.Group { return comm.Failed(w.own) }

// Revoke has all ranks of the window return comm.ErrRevoked from calls that wait for others, now and later, but for
// Free: see comm.Revoke. Operations that wait for nobody go on.
func (w *Window) Revoke() error { return w.wrap("revoke", -1, comm.Bare(comm.Revoke(w.own))) }

// broken tells whether the job goes on without a rank of the window, or the window was revoked.
func (w *Window) broken() bool {
	return job.Survives(comm.Root(w.own)) && (comm.Failed(w.own).Size() > 0 || comm.IsRevoked(w.own))
}
