package runner

import (
	"embed"
	"fmt"
	"os"
)

// sources are the benchmarks in C.
//
//go:embed peer
var sources embed.FS

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
