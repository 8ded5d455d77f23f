package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gopvas/gopvas/internal/bench/npb"
)

// Reference returns an installed MPI as a contestant of NPB that runs NASA's own
// programs, such as is.A.x, which were built for it and are in dir. A *MissingError
// says that the MPI is not there.
func Reference(name, dir string, pinned bool) (Contestant, error) {
	p, err := findPeer(name)
	if err != nil {
		return Contestant{}, err
	}
	p.dir = dir
	return Contestant{Name: name, Pinned: pinned, peer: p}, nil
}

// program is the name that the build of NPB 3.4 gives.
func (cfg *NPBConfig) program() string { return fmt.Sprintf("%s.%s.x", cfg.Benchmark, cfg.Class) }

// hasReference returns an error if the contestant is a reference without the program.
func (c Contestant) hasReference(cfg NPBConfig) error {
	if !c.IsPeer() {
		return nil
	}
	if _, err := os.Stat(filepath.Join(c.peer.dir, cfg.program())); err != nil {
		return fmt.Errorf("bench: reference: %w: build NPB 3.4 (nas.nasa.gov) for %s first", err, c.Name)
	}
	return nil
}

// reference runs the program and reads what it prints.
func (c Contestant) reference(ctx context.Context, cfg NPBConfig, ranks int) (npb.Result, error) {
	out, err := c.run(ctx, ranks, []string{cfg.program()})
	if err != nil {
		return npb.Result{}, err
	}
	return npb.ParseResult(bytes.NewReader(out))
}
