package runner

import "path/filepath"

// Reference returns an installed MPI as a contestant of nas.Run that runs NASA's own
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

// Built is where a program of an installed MPI is.
func (c Contestant) Built(program string) string { return filepath.Join(c.peer.dir, program) }
