package runner

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sources are the benchmarks in C.
//
//go:embed peer
var sources embed.FS

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

// Peer returns an installed MPI, one of Peers or ExchangePeers, as a contestant, with the
// single-copy mechanism of its shared memory as singleCopy says ("": its default). A
// *MissingError says that it is not there. closePeer removes what was compiled for it, and
// ends what its launcher has left; so does the end of this process.
func Peer(name, singleCopy string, pinned bool) (c Contestant, closePeer func(), err error) {
	p, err := findPeer(name)
	if err != nil {
		return c, nil, err
	}
	if p.dir, err = os.MkdirTemp("", "pvasrun-peer"); err != nil {
		return c, nil, NoScratch(err)
	}
	end, err := p.guard()
	if err != nil {
		_ = os.RemoveAll(p.dir)
		return c, nil, err
	}
	if err := os.CopyFS(p.dir, sources); err != nil {
		end()
		return c, nil, err
	}
	return Contestant{Name: name, SingleCopy: singleCopy, Pinned: pinned, peer: p}, end, nil
}

// NoScratch says what to do where no temporary folder can be made.
func NoScratch(err error) error {
	return fmt.Errorf("bench: make a temporary folder: %w: set TMPDIR to a folder that you may write", err)
}

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

// program returns the path of a program, which it compiles if that was not done yet.
func (p *peer) program(ctx context.Context, name string) (path string, err error) {
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

// number is that of a version.
var number = regexp.MustCompile(`[0-9]+(\.[0-9]+)+`)

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

func firstInPath(names []string) string {
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path
		}
	}
	return ""
}

// Prepare compiles a rank program of a peer, so that no job waits for that. Ours need none.
func (c Contestant) Prepare(ctx context.Context, program string) (err error) {
	if c.peer != nil {
		_, err = c.peer.program(ctx, program)
	}
	return err
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
	program, err := p.program(ctx, args[0])
	if err != nil {
		return nil, err
	}
	return p.execute(ctx, p.mpirun, slices.Concat(flags, []string{program}, args[1:])...)
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
