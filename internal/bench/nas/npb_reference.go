package nas

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/internal/bench/npb"
	"github.com/gopvas/gopvas/internal/bench/runner"
)

// program is the name that the build of Run 3.4 gives.
func (cfg *Config) program() string { return fmt.Sprintf("%s.%s.x", cfg.Benchmark, cfg.Class) }

// hasReference returns an error if the contestant is a reference without the program.
func (cfg *Config) hasReference(c runner.Contestant) error {
	if !c.IsPeer() {
		return nil
	}
	if _, err := os.Stat(c.Built(cfg.program())); err != nil {
		return fmt.Errorf("bench: reference: %w: build NPB 3.4 (nas.nasa.gov) for %s first", err, c.Name)
	}
	return nil
}

// reference runs the program and reads what it prints.
func (cfg *Config) reference(ctx context.Context, c runner.Contestant, ranks int) (npb.Result, error) {
	out, err := c.Run(ctx, ranks, []string{cfg.program()})
	if err != nil {
		return npb.Result{}, err
	}
	return npb.ParseResult(bytes.NewReader(out))
}
