package runner

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"strings"

	"github.com/gopvas/gopvas/internal/lab/bench/meter"
	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/cluster"
)

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
	run := func(j launcher.Job) (*launcher.Result, error) {
		j.BTL, j.Settings, j.Bind = cmp.Or(c.within, c.Name), settings, bind
		if adapt != nil {
			adapt(&j)
		}
		if c.Site != nil {
			return cluster.Run(ctx, j, c.Site.Nodes)
		}
		return launcher.Run(ctx, j)
	}
	if c.programs != "" {
		return runApp(launcher.App{Program: c.Built(args[0]), Args: args[1:], N: n}, run)
	}
	return RunRanks(n, args, run)
}

// RunRanks has run run a job of n ranks of this program's own benchmark, and returns what rank 0
// has printed.
func RunRanks(n int, args []string, run func(launcher.Job) (*launcher.Result, error)) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return runApp(launcher.App{Program: self, Args: append([]string{rankside.RankCommand}, args...), N: n}, run)
}

// runApp has run run a job of a program, and returns what rank 0 has printed.
func runApp(app launcher.App, run func(launcher.Job) (*launcher.Result, error)) ([]byte, error) {
	signals, stop := launcher.OwnSignals()
	defer stop()
	var stdout bytes.Buffer
	var stderr jobErrors
	result, err := run(launcher.Job{
		Apps:   []launcher.App{app},
		Stdout: &stdout, Stderr: &stderr, Signals: signals,
	})
	if err != nil {
		return nil, err
	}
	if result.Code != 0 {
		return nil, &JobError{result.Code, strings.TrimSpace(stderr.String())}
	}
	stderr.warn()
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

// warn passes on the warnings of a job that has succeeded: its numbers are not of what the user asked for. What ranks
// have not freed when they end is no such thing: a meter may look at it until then.
func (w *jobErrors) warn() {
	for line := range strings.Lines(w.String()) {
		if strings.Contains(line, "warning: ") && !strings.Contains(line, "finalize: ") {
			_, _ = os.Stderr.WriteString(line)
		}
	}
}

// RunMetered is RunOurs for a job that stands still for a meter.Meter in Init and before
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
