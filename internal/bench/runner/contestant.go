package runner

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/gopvas/gopvas/internal/bench/meter"
	"github.com/gopvas/gopvas/internal/bench/rankside"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/launcher"
)

// A Contestant runs the rank programs of a benchmark: this project in one of
// its task models, or an installed MPI.
type Contestant struct {
	Name       string       // pvas, sm, loop, openmpi, mpich
	SingleCopy string       // "": the default; none, cma
	Pinned     bool         // rank i to CPU i
	Settings   job.Settings // of this project
	Profile    bool         // Settings are from a profile
	Site       *Site        // nil: this node
	peer       *peer        // nil: this project
	loop       string       // the task model of Loop; "": not this
}

// Loop is the bound of a benchmark of Layouts: no message, but the plain loop over the same
// elements, by one rank within memory of its own. It is run in the task model and with the
// settings of c.
func Loop(c Contestant) Contestant {
	c.Name, c.SingleCopy, c.loop, c.Site = "loop", "", c.Name, nil
	return c
}

// IsLoop tells whether the contestant is a loop in place of messages.
func (c Contestant) IsLoop() bool { return c.loop != "" }

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
	case c.IsLoop():
		return "no message"
	case c.Name == "pvas":
		return "direct"
	case c.SingleCopy == "":
		return "auto"
	}
	return c.SingleCopy
}

// Run runs a job of n ranks of the benchmark that args describe and returns
// what rank 0 printed.
func (c Contestant) Run(ctx context.Context, n int, args []string) ([]byte, error) {
	switch {
	case c.peer != nil && c.Site != nil:
		return c.Site.RunPeer(ctx, c, n, args)
	case c.peer != nil:
		return c.peer.run(ctx, c, n, args)
	}
	return c.RunOurs(ctx, n, args, nil)
}

// RunOurs is run where this project is the contestant; adapt completes the job, unless it is nil.
func (c Contestant) RunOurs(ctx context.Context, n int, args []string, adapt func(*launcher.Job)) ([]byte, error) {
	bind, err := launcher.Binding{}, error(nil)
	if c.Pinned {
		if bind, err = launcher.ParseBinding("core"); err != nil {
			return nil, err
		}
	}
	settings := c.Settings
	if c.SingleCopy != "" {
		if settings.SingleCopy, err = job.ParseSingleCopy(c.SingleCopy); err != nil {
			return nil, err
		}
	}
	return RunRanks(n, args, func(j launcher.Job) (*launcher.Result, error) {
		j.BTL, j.Settings, j.Bind = cmp.Or(c.loop, c.Name), settings, bind
		if adapt != nil {
			adapt(&j)
		}
		if c.Site != nil {
			return launcher.RunNodes(ctx, j, c.Site.Nodes)
		}
		return launcher.Run(ctx, j)
	})
}

// RunRanks has run run a job of n ranks of this program's own benchmark, and returns what rank 0
// has printed.
func RunRanks(n int, args []string, run func(launcher.Job) (*launcher.Result, error)) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	signals, stop := launcher.OwnSignals()
	defer stop()
	var stdout bytes.Buffer
	var stderr jobErrors
	result, err := run(launcher.Job{
		Apps:   []launcher.App{{Program: self, Args: append([]string{rankside.RankCommand}, args...), N: n}},
		Stdout: &stdout, Stderr: &stderr, Signals: signals,
	})
	if err != nil {
		return nil, err
	}
	if result.Code != 0 {
		return nil, &JobError{result.Code, strings.TrimSpace(stderr.String())}
	}
	return stdout.Bytes(), nil
}

// jobErrors keep what a job writes to its standard error. What it answers to QUIT is passed on at once.
type jobErrors struct{ bytes.Buffer }

func (w *jobErrors) Write(p []byte) (int, error) {
	if i := bytes.Index(p, []byte("pvasrun: "+launcher.HangReport)); i >= 0 {
		_, _ = os.Stderr.Write(p[i:])
	}
	return w.Buffer.Write(p)
}

// RunMetered is RunOurs for a job that stands still for a Meter in Init and before
// Finalize.
func (c Contestant) RunMetered(ctx context.Context, n int, args []string,
	adapt func(*launcher.Job)) ([]byte, meter.Measurement, error) {
	gauge, err := meter.NewMeter()
	if err != nil {
		return nil, meter.Measurement{}, err
	}
	out, err := c.RunOurs(ctx, n, args, func(j *launcher.Job) {
		adapt(j)
		gauge.Attach(j)
	})
	m, measured := gauge.Measurement()
	if err == nil {
		err = measured
	}
	return out, m, err
}

// A JobError is a benchmark job that ended with a failure of its own.
type JobError struct {
	Code   int // exit code
	Output string
}

// noMemory is what a rank writes whose Go runtime gets no memory, before a trace of all goroutines.
var noMemory = regexp.MustCompile(
	`(?m)^(?:fatal error: .*out of memory|fatal error: .*cannot allocate memory|` +
		`panic: runtime error: makeslice: len out of range|runtime: out of memory: .*)$`)

// Error is one line where the ranks had no memory: their traces say nothing else.
func (e *JobError) Error() string {
	if line := noMemory.FindString(e.Output); line != "" {
		return fmt.Sprintf("exit code %d: a rank got no memory for its buffers (%s): choose shorter "+
			"messages or fewer ranks", e.Code, line)
	}
	return fmt.Sprintf("exit code %d\n%s", e.Code, e.Output)
}

// A MissingError says that a peer cannot be compared with here, and what to
// install.
type MissingError struct{ Peer, What string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("bench: %s: %s is not installed (Debian: apt-get install %s)", e.Peer, e.What,
		peers[e.Peer].packages)
}
