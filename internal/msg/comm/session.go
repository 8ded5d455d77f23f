package comm

import "github.com/gopvas/gopvas/internal/node/job"

// A Session is what groups and communicators of the Sessions Model derive from: the groups of its process sets have
// it, and so does all that is made of them.
type Session struct{ _ byte }

// GroupOf returns a group of the same ranks that derives from a session.
func GroupOf(g *Group, s *Session) *Group {
	of := *g.some()
	of.session = s
	return &of
}

// SessionOf returns the session that a group derives from, nil if it is of the World Model.
func SessionOf(g *Group) *Session { return g.some().session }

// TellLeft prints what the program has made of a session and not freed, as Finalize does of all, once.
func TellLeft(world *Comm, s *Session) { world.tellUnfreed("session finalize", s) }

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

// OtherThreads says whether other threads of this process may end a wait: see pml.Engine.
func OtherThreads(world *Comm, may func() bool) { world.engine.OtherThreads(may) }

// ManyThreads ends what OneThread has said. No call is under way, or this one is the only one.
func ManyThreads(world *Comm) { world.engine.Threads().Many() }

// OneThread says that from now on one thread alone of this process makes calls: the calling one.
// Messages then take no lock. It changes nothing if the rank has a helper thread. over is called in the call from which
// on goroutines of this process serve other ranks, also while the program computes.
func OneThread(world *Comm, over func()) {
	if !world.graphs.Helped() {
		world.engine.Threads().One(over)
	}
}
