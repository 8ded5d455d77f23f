package window

import (
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Windows in a job that survives the failure of ranks.

// Failed returns the ranks of the window that have failed: see comm.Failed.
func (w *Window) Failed() *comm.Group { return comm.Failed(w.own) }

// Revoke has all ranks of the window return comm.ErrRevoked from calls that wait for others, now and later, but for
// Free: see comm.Revoke. Operations that wait for nobody go on.
func (w *Window) Revoke() error { return w.wrap("revoke", -1, comm.Bare(comm.Revoke(w.own))) }

// # Memory of failed ranks
//
// A rank's window memory stays until the job ends, as its last instruction has left it. No other rank gets its place.
// When a survivor finds that the rank has failed, all its stores are there to be read, see MarkGone. So Query and
// Segment work, and so does Get under a shared lock. Operations that write fail: nobody is left that would use what
// they write.
//
// Between processes it is so for memory that the window has allocated. That of the program goes with its process.

// findToWrite is find for an operation that writes. The error is a *fault.LostError if the rank has failed. It costs a
// load until a rank ends.
func (w *Window) findToWrite(p *Place) (access, error) {
	a, err := w.find(p)
	if err == nil && w.gone.Load() != w.ends {
		if rank := comm.JobRank(w.own, p.Rank); job.Failed(comm.Root(w.own), rank) {
			err = &fault.LostError{Rank: rank}
		}
	}
	return a, err
}

// broken tells whether the job goes on without a rank of the window, or the window was revoked.
func (w *Window) broken() bool {
	return job.Survives(comm.Root(w.own)) && (comm.Failed(w.own).Size() > 0 || comm.IsRevoked(w.own))
}
