package model

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/recording"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/lab/bench/timed"
	"github.com/gopvas/gopvas/internal/lab/replay"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/trace"
)

// measureRecording records a job that computes nothing, and returns what recording adds between
// its calls.
func measureRecording(ctx context.Context, who runner.Contestant) (r replay.Recording, err error) {
	f, err := os.CreateTemp("", "pvasrun-calls-*.trace")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	var t *recording.Tracing
	var attached error
	if err := timed.Calls(ctx, who, func(j *launcher.Job) {
		t, attached = recording.AttachTrace(f.Name(), j)
	}); err != nil {
		return nil, err
	}
	if attached == nil {
		attached = t.Close()
	}
	if attached != nil {
		return nil, fmt.Errorf("recording of calls: %w", attached)
	}
	recorded, err := trace.Open(f.Name())
	if err != nil {
		return nil, err
	}
	return replay.Gaps(recorded), nil
}
