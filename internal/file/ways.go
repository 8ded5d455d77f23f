package file

import (
	"github.com/gopvas/gopvas/internal/reach"
	"github.com/gopvas/gopvas/internal/sys"
)

// findWays finds out how ranks can move bytes for one another. It is collective.
func (f *File) findWays() error {
	if f.direct = f.node.OneAddressSpace(); f.direct {
		f.reach = true
	} else {
		_, err := reach.Try(f.node)
		f.reach = err == nil
	}
	apart := int64(0)
	if !f.mover.sized || f.nodes != nil && sys.NodesCache(f.mover.fd) {
		apart = 1
	}
	all, err := f.gather(number(apart))
	for rank := range f.ranks.Size() {
		f.apart = f.apart || err == nil && numberIn(all, rank) != 0
	}
	return err
}

// reaches tells whether this rank can read and write the memory of another one.
func (f *File) reaches(rank int) bool { return rank == f.ranks.Rank() || f.reach && f.near(rank) }
