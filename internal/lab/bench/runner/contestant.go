package runner

import "github.com/gopvas/gopvas/internal/node/job"

// A Contestant runs the rank programs of a benchmark: this project in one of
// its task models, or an installed MPI.
type Contestant struct {
	Name       string       // pvas, sm, loop, threads, openmpi, mpich
	SingleCopy string       // "": the default; none, cma
	Pinned     bool         // rank i to CPU i
	Settings   job.Settings // of this project
	Profile    bool         // Settings are from a profile
	Site       *Site        // nil: this node
	peer       *peer        // nil: this project
	programs   string       // of NASA, built for the contestant: their folder; "": ranks are this program, or ours in C
	within     string       // the task model of Loop and Threads, which send no messages; "": not these
}

// Loop is the bound of a benchmark of timed.Layouts: no message, but the plain loop over the same
// elements, by one rank within memory of its own. It is run in the task model and with the
// settings of c.
func Loop(c Contestant) Contestant {
	c.Name, c.SingleCopy, c.within, c.Site = loopName, "", c.Name, nil
	return c
}

// IsLoop tells whether the contestant is a loop in place of messages.
func (c Contestant) IsLoop() bool { return c.within != "" && c.Name == loopName }

// Threads is one rank, with goroutines in place of the others: they share memory. It is run in the task model of c. No
// CPU is kept for the rank, as its goroutines would have no other.
func Threads(c Contestant) Contestant {
	return Contestant{Name: threadsName, within: c.Name}
}

// IsThreads tells whether the contestant is goroutines in place of ranks.
func (c Contestant) IsThreads() bool { return c.within != "" && c.Name == threadsName }

const loopName, threadsName = "loop", "threads"

// String names the contestant in tables.
func (c Contestant) String() string {
	name := c.Name
	if c.SingleCopy != "" {
		name += "/" + c.SingleCopy
	}
	if c.Profile {
		name += "+profile"
	}
	return name
}

// IsPeer tells whether the contestant is an installed MPI.
func (c Contestant) IsPeer() bool { return c.peer != nil }

// Path says how large messages went, as far as that is known: with a site between its nodes.
func (c Contestant) Path() string {
	switch {
	case c.Site != nil:
		return Choose(c.IsPeer(), "tcp", "suci")
	case c.IsPeer():
		return c.peer.path(c.SingleCopy)
	case c.within != "":
		return "no message"
	case c.Name == "pvas":
		return "direct"
	case c.SingleCopy == "":
		return "auto"
	}
	return c.SingleCopy
}
