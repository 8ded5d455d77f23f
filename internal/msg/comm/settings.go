package comm

import (
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/coll/cad/shared"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Settings are what the starter of the job has chosen for all ranks.
type Settings struct {
	Choice coll.Choice // of collective algorithms
	Check  bool        // whether all ranks are asked whether they make the same call

	Synchronous bool // with Check: whether standard sends wait for their receivers
	shared.Setup
}

// readSettings returns what the settings of the job say about collectives.
func readSettings(j job.Settings) (s Settings, err error) {
	if s.Choice, err = coll.ParseChoice(j.Coll); err != nil {
		return s, err
	}
	s.Choice.Reproducible = j.Reproducible
	s.Check, s.Synchronous = j.Check, j.Check && j.Synchronous
	s.Setup, err = shared.ParseSetup(j.Progress, j.Helpers, j.Check)
	return s, err
}

// SetCheck has the calls on a communicator checked as those of a job with --check are, or not
// any more. It returns what held before. All ranks do so at the same place of the program.
func SetCheck(c *Comm, on bool) (was bool) {
	was, c.team.Check = c.team.Check, on
	if s := c.state.Load(); s == ready || s == plain {
		c.state.CompareAndSwap(s, c.usableState())
	}
	return was
}

// Checked tells whether the calls on a communicator are checked.
func Checked(c *Comm) bool { return c.team.Check }

// JobSettings is how the starter has set up the job.
type JobSettings struct {
	job.Settings
	BTL job.BTL
}

// SettingsOfJob returns the settings of this process' job; ok is false before Init.
func SettingsOfJob() (s JobSettings, ok bool) {
	c := World()
	if c == nil {
		return s, false
	}
	return JobSettings{c.root.Settings(), c.root.BTL()}, true
}
