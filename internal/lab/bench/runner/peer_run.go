package runner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// program returns the path of a program of a peer: NASA's, or ours, which it compiles if that was not done yet.
func (c Contestant) program(ctx context.Context, name string) (path string, err error) {
	if c.programs != "" {
		return c.Built(name), nil
	}
	p := c.peer
	path = filepath.Join(p.dir, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	_, err = p.execute(ctx, p.mpicc, "-O2", "-o", path, filepath.Join(p.dir, "peer", name+".c"))
	if err != nil {
		return "", fmt.Errorf("bench: compile for %s: %w", p.name, err)
	}
	return path, nil
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
		flags = append(flags, "--bind-to", Choose(c.Pinned, "core:overload-allowed", "none"))
	case "mpich":
		flags = append(flags, "-bind-to", Choose(c.Pinned, "core", "none"))
	}
	program, err := c.program(ctx, args[0])
	if err != nil {
		return nil, err
	}
	return p.execute(ctx, p.mpirun, slices.Concat(flags, []string{program}, args[1:])...)
}

// Prepare compiles a rank program of a peer, so that no job waits for that. Ours need none.
func (c Contestant) Prepare(ctx context.Context, program string) (err error) {
	if c.peer != nil {
		_, err = c.program(ctx, program)
	}
	return err
}

// Version is that of an MPI compared with: a number, or "" where its launcher says none.
func (c Contestant) Version(ctx context.Context) string {
	if c.peer == nil {
		return ""
	}
	out, err := exec.CommandContext(ctx, c.peer.mpirun, "--version").Output()
	if err != nil {
		return ""
	}
	return number.FindString(string(out))
}

// number is that of a version.
var number = regexp.MustCompile(`[0-9]+(\.[0-9]+)+`)
