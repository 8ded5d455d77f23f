package evaluation

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/results"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/node/gocmd"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher"
)

// cpubound is the program that is built both ways.
//
//go:embed cpubound/main.go
var cpubound []byte

// pie compares a program at a fixed address with a position independent one, in its own
// process and in a partition of a shared address space.
func (c *Config) pie() Experiment {
	e := Experiment{Weight: scaled(c, 1, 8, 40)}
	goTool, err := exec.LookPath("go")
	if err != nil {
		e.Skip = "the go command, which builds the program both ways, is not there"
	}
	e.Run = func(ctx context.Context, _ int) (points []results.Point, err error) {
		dir, err := os.MkdirTemp("", "pvasrun-pie")
		if err != nil {
			return nil, runner.NoScratch(err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		for range scaled(c, 1, 7, 15) { // in one round, as building takes longer than running
			for _, way := range c.builds() {
				program := filepath.Join(dir, way.mode)
				if err := build(ctx, goTool, way.mode, program); err != nil {
					return nil, err
				}
				values, err := computes(ctx, way.who, program, scaled(c, 1, 40, 200))
				if err != nil {
					return nil, fmt.Errorf("bench: %s: %w", way.setting, err)
				}
				points = append(points,
					results.Point{Benchmark: "cpubound", Contestant: way.who.Name, Setting: way.setting,
						Ranks: 1, Values: values})
			}
		}
		return points, nil
	}
	return e
}

// A pieBuild is a way to build a program, and where it runs.
type pieBuild struct {
	setting, mode string
	who           runner.Contestant
}

func (c *Config) builds() []pieBuild {
	process := runner.Contestant{Name: job.BTLSM.String()}
	list := []pieBuild{{"fixed address, process", "exe", process}, {"PIE, process", "pie", process}}
	for _, who := range c.models() {
		if who.Name == job.BTLPvas.String() {
			list = append(list, pieBuild{"PIE, one address space", "pie", who})
		}
	}
	return list
}

// build builds the program where it is not there yet.
func build(ctx context.Context, goTool, mode, program string) error {
	if _, err := os.Stat(program); err == nil {
		return nil
	}
	source := program + ".go"
	if err := os.WriteFile(source, cpubound, 0o666); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, goTool, "build", "-buildmode="+mode, "-o", program, source)
	cmd.Dir = filepath.Dir(program) // outside any module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := gocmd.Run(cmd, cmd.Dir); err != nil {
		return fmt.Errorf("bench: build %s: %w\n%s", mode, err, out.Bytes())
	}
	return nil
}

// computes runs the program twice as a rank: with nothing to do, for the time of the
// whole job, and with work, for its CPU time.
func computes(ctx context.Context, c runner.Contestant, program string, times int) (map[string]float64, error) {
	values := map[string]float64{}
	for _, n := range []int{0, times} {
		start := time.Now()
		out, err := c.RunOurs(ctx, 1, nil, func(j *launcher.Job) {
			j.Apps = []launcher.App{{Program: program, Args: []string{strconv.Itoa(n)}, N: 1}}
		})
		if err != nil {
			return nil, err
		}
		took := time.Since(start).Seconds()
		var cpu float64
		if _, err := fmt.Sscan(string(out), &cpu); err != nil {
			return nil, fmt.Errorf("unexpected output %.200q: %w", out, err)
		}
		if n == 0 {
			values["job_s"] = took
		} else {
			values["cpu_s"] = cpu
		}
	}
	return values, nil
}
