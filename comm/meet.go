package comm

import (
	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/job"
)

// Meet returns when all ranks of the job have called it, or have gone. A face calls it before Finalize if
// its ranks end together, as those in C do. It has a context of its own, so that it meets no operation of
// the program: a rank that leaves out a Barrier and goes on to its end is not taken for one in the
// Barrier. It goes by messages, which need no memory for a board at the end of a job.
func Meet(world *Comm) error {
	if err := world.lockCollective(); err != nil {
		return Wrap("finalize", err)
	}
	defer world.mu.Unlock()
	t := world.newTeam(meetID)
	t.Called, t.Inner = job.Ending, 0
	t.Choice.Blocking[coll.Barrier] = "dissemination"
	if world.root.Ranks() > world.root.AllCPUs() {
		t.Choice.Blocking[coll.Barrier] = "tree" // fewer sleeps
	}
	return Wrap("finalize", bare(t.Barrier()))
}

// noteCalls notes in the root block how many collective operations this rank has begun on the world. pvasrun
// compares them when all ranks have ended. A rank that was told of an error says nothing.
func (c *Comm) noteCalls() {
	if n, ok := c.team.Calls(); ok {
		c.root.NoteWorldCalls(c.rank, n+uint64(c.channel.Issued()))
	}
}
