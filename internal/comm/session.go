package comm

import "github.com/gopvas/gopvas/internal/job"

// Rest tells the supervisor whether this process may end as after Finalize. Between its
// sessions a process may: it has finalized one, and may or may not begin another. One that begins after Finalize
// finds everything as it was, but for the helper thread.
//
// MPI 4.1 section 11.3.
func Rest(world *Comm, resting bool) {
	state := job.StateInit
	if resting {
		state = job.StateFinal
	} else if world.finalized.Swap(false) {
		world.engine.Reopen()
		world.root.ReceivesAgain(world.group.self)
	}
	world.root.SetState(world.group.self, state)
}

// OneThread says that from now on one thread alone of this process makes calls: the calling one.
// Messages then take no lock. It changes nothing if the rank has a helper thread. over is called in the call from which
// on goroutines of this process serve other ranks, also while the program computes.
func OneThread(world *Comm, over func()) {
	if !world.graphs.Helped() {
		world.engine.OneThread(over)
	}
}
