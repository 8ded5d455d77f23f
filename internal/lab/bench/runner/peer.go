package runner

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A peer is an installed MPI, with our C counterparts of the benchmarks compiled for it
// as they are needed.
type peer struct {
	name          string
	mpicc, mpirun string
	dir           string        // temporary; has the programs and, in peer, their sources
	patience      time.Duration // with what was told to end, before it is killed
}

// peers says how to use each MPI that can be compared with.
var peers = map[string]struct {
	compilers, launchers []string
	packages             string
}{
	"openmpi": {[]string{"mpicc.openmpi", "mpicc"}, []string{"mpirun.openmpi", "mpirun"}, "openmpi-bin libopenmpi-dev"},
	"mpich":   {[]string{"mpicc.mpich", "mpicc"}, []string{"mpirun.mpich", "mpirun"}, "mpich libmpich-dev"},
	MPTCP: {[]string{"mpicc.openmpi", "mpicc"}, []string{"mpirun.openmpi", "mpirun"},
		"openmpi-bin libopenmpi-dev mptcpize"},
}

// Peers are the names of the MPIs that can be compared with.
func Peers() []string { return []string{"mpich", "openmpi"} }

// findPeer finds the compiler and the launcher of an MPI.
func findPeer(name string) (*peer, error) {
	how, known := peers[name]
	if !known {
		return nil, fmt.Errorf("bench: no peer %q: there are %s", name,
			strings.Join(slices.Sorted(maps.Keys(peers)), ", "))
	}
	mpicc, mpirun := firstInPath(how.compilers), firstInPath(how.launchers)
	if mpicc == "" || mpirun == "" {
		return nil, &MissingError{name, "its compiler or launcher"}
	}
	if name == MPTCP && firstInPath([]string{mptcpize}) == "" {
		return nil, &MissingError{name, mptcpize}
	}
	return &peer{name: name, mpicc: mpicc, mpirun: mpirun, patience: 10 * time.Second}, nil
}

func firstInPath(names []string) string {
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path
		}
	}
	return ""
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

// A MissingError says that a peer cannot be compared with here, and what to
// install.
type MissingError struct{ Peer, What string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("bench: %s: %s is not installed (Debian: apt-get install %s)", e.Peer, e.What,
		peers[e.Peer].packages)
}
