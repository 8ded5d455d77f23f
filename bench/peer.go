package bench

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

var (
	//go:embed peer/p2p.c
	p2pSource []byte
	//go:embed peer/coll.c
	collSource []byte
)

// A peer is an installed MPI with our C counterpart of the benchmarks compiled
// for it.
type peer struct {
	name   string
	mpirun string
	dir    string // temporary; has the programs, compiled
}

// peers says how to use each MPI that can be compared with.
var peers = map[string]struct {
	compilers, launchers []string
	packages             string
}{
	"openmpi": {[]string{"mpicc.openmpi", "mpicc"}, []string{"mpirun.openmpi", "mpirun"}, "openmpi-bin libopenmpi-dev"},
	"mpich":   {[]string{"mpicc.mpich", "mpicc"}, []string{"mpirun.mpich", "mpirun"}, "mpich libmpich-dev"},
}

// Peer compiles the benchmarks for an installed MPI ("openmpi", "mpich") and
// returns it as a contestant, with the single-copy mechanism of its shared
// memory as singleCopy says ("": its default). A *MissingError says that it is
// not there. close removes what was compiled.
func Peer(ctx context.Context, name, singleCopy string, pinned bool) (c Contestant, closePeer func(), err error) {
	how, known := peers[name]
	if !known {
		return c, nil, fmt.Errorf("bench: no peer %q: there are openmpi and mpich", name)
	}
	mpicc, mpirun := firstInPath(how.compilers), firstInPath(how.launchers)
	if mpicc == "" || mpirun == "" {
		return c, nil, &MissingError{name, "its compiler or launcher"}
	}
	dir, err := os.MkdirTemp("", "pvasrun-peer")
	if err != nil {
		return c, nil, err
	}
	p := &peer{name: name, mpirun: mpirun, dir: dir}
	remove := func() { _ = os.RemoveAll(dir) }
	for program, source := range map[string][]byte{"p2p": p2pSource, "coll": collSource} {
		compile := exec.CommandContext(ctx, mpicc, "-O2", "-x", "c", "-o", filepath.Join(dir, program), "-")
		compile.Stdin = bytes.NewReader(source)
		if out, err := compile.CombinedOutput(); err != nil {
			remove()
			return c, nil, fmt.Errorf("bench: compile for %s: %w\n%s", name, err, out)
		}
	}
	return Contestant{Name: name, SingleCopy: singleCopy, Pinned: pinned, peer: p}, remove, nil
}

func firstInPath(names []string) string {
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path
		}
	}
	return ""
}

// run runs the program that the first of args names, with the others.
func (p *peer) run(ctx context.Context, c Contestant, n int, args []string) ([]byte, error) {
	flags := []string{"-n", strconv.Itoa(n)}
	switch p.name {
	case "openmpi":
		flags = append(flags, "--oversubscribe", "--mca", "btl", "vader,self", "--mca", "pml", "ob1")
		if c.SingleCopy != "" {
			flags = append(flags, "--mca", "btl_vader_single_copy_mechanism", c.SingleCopy)
		}
		flags = append(flags, "--bind-to", choose(c.Pinned, "core", "none"))
	case "mpich":
		flags = append(flags, "-bind-to", choose(c.Pinned, "core", "none"))
	}
	cmd := exec.CommandContext(ctx, p.mpirun, slices.Concat(flags, []string{filepath.Join(p.dir, args[0])}, args[1:])...)
	cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, &JobError{exit.ExitCode(), strings.TrimSpace(stderr.String())}
	}
	return out, err
}

// path says which way large messages take, as configured.
func (p *peer) path(singleCopy string) string {
	switch {
	case p.name == "mpich":
		return "ch4:ucx"
	case singleCopy == "":
		return "vader:default"
	}
	return "vader:" + singleCopy
}

func choose(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
