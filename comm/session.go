package comm

import "github.com/gopvas/gopvas/job"

// Rest says that this process may end now as after Finalize, or that it may not any more: for
// a face whose programs come and go as they like (sessions, MPI 4.1 section 11.3).
func Rest(world *Comm, resting bool) {
	state := job.StateInit
	if resting {
		state = job.StateFinal
	}
	world.root.SetState(world.rank, state)
}
