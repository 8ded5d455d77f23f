package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/internal/bench/npb"
)

// program is the name that the build of NPB 3.4 gives.
func (cfg *NPBConfig) program() string { return fmt.Sprintf("%s.%s.x", cfg.Benchmark, cfg.Class) }

// hasReference returns an error if the contestant is a reference without the program.
func (cfg *NPBConfig) hasReference(c Contestant) error {
	if !c.IsPeer() {
		return nil
	}
	if _, err := os.Stat(c.built(cfg.program())); err != nil {
		return fmt.Errorf("bench: reference: %w: build NPB 3.4 (nas.nasa.gov) for %s first", err, c.Name)
	}
	return nil
}

// reference runs the program and reads what it prints.
func (cfg *NPBConfig) reference(ctx context.Context, c Contestant, ranks int) (npb.Result, error) {
	out, err := c.run(ctx, ranks, []string{cfg.program()})
	if err != nil {
		return npb.Result{}, err
	}
	return npb.ParseResult(bytes.NewReader(out))
}
