package file

import (
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/reach"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi/fault"
)

// findStorage finds out where the file lies. It returns an error unless all ranks have opened the same. It is
// collective.
func (f *File) findStorage() error {
	type storage struct {
		sys.Storage
		Sized bool
	}
	storages, err := comm.Tell(f.ranks, f.doing(), storage{sys.StorageOf(f.mover.fd), f.mover.sized})
	if err != nil {
		return err
	}
	for rank, s := range storages {
		f.apart, f.caches = f.apart || !s.Sized, f.caches || s.Caches
		if s.Local && s.ID != storages[0].ID {
			return &fault.FileError{Rank: rank, Offset: -1, Err: ErrElsewhere}
		}
	}
	return nil
}

// findWays finds out how ranks can move bytes for one another. It is collective.
func (f *File) findWays() {
	f.apart = f.apart || f.caches && f.nodes != nil
	if f.direct = f.node.OneAddressSpace(); f.direct {
		f.reach = true
		return
	}
	near, err := reach.Try(f.node)
	f.reach = err == nil
	for rank := 0; f.reach && rank < f.ranks.Size(); rank++ {
		var p *reach.Process
		if f.near(rank) { // in the order of ranks, as in node
			p, near = near[0], near[1:]
		}
		f.processes = append(f.processes, p)
	}
}

// reaches tells whether this rank can read and write the memory of another one.
func (f *File) reaches(rank int) bool { return rank == f.ranks.Rank() || f.reach && f.near(rank) }
