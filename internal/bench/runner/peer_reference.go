package runner

import (
	"fmt"
	"path/filepath"
)

// Reference returns an installed MPI as a contestant of nas.Run that runs NASA's own
// programs, such as is.A.x, which were built for it and are in dir. Mode is that of its copies, or empty.
// A *MissingError says that the MPI is not there.
func Reference(name, mode, dir string, pinned bool) (Contestant, error) {
	p, err := findPeer(name)
	if err != nil {
		return Contestant{}, err
	}
	if p.dir, err = filepath.Abs(dir); err != nil { // TMPDIR of what it starts
		return Contestant{}, fmt.Errorf("bench: %s: %w", dir, err)
	}
	return Contestant{Name: name, SingleCopy: mode, Pinned: pinned, peer: p}, nil
}

// WithPrograms is a contestant of ours that runs NASA's own programs, which were built for ours and are in dir.
func WithPrograms(c Contestant, dir string) Contestant {
	c.programs = dir
	return c
}

// Built is where a program of NASA is that the contestant runs; "" if it runs those of package npb.
func (c Contestant) Built(program string) string {
	dir := c.programs
	if c.peer != nil {
		dir = c.peer.dir
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, program)
}
