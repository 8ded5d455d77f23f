package window

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/reach"
	"github.com/gopvas/gopvas/internal/msg/window/remote"
	"github.com/gopvas/gopvas/internal/msg/window/update"
)

// Windows of several nodes. The ranks of each node make one of their own, with a control block that has records of all
// ranks; then all tell one another of their memory. Processes may be forbidden to read one another's memory. Then they
// make a window of the program's memory as if each were on a node of its own.

// node is the ranks of a window whose memory is reached without requests.
type node struct {
	c         *comm.Comm       // of these ranks; that of the window, if there are no others
	ranks     []int            // of the window, in their order; nil: all
	processes []*reach.Process // by rank of the node, nil for this one; nil: their memory is mapped here
}

// split finds the node. It is collective.
func (n *node) split(own *comm.Comm) error {
	n.c = own
	if comm.OneNode(own) {
		return nil
	}
	part, err := own.SplitType(comm.Shared, 0)
	return n.narrow(own, part, err)
}

// find finds out which processes the ranks are, whose memory is reached by their numbers.
func (n *node) find() (err error) {
	n.processes, err = reach.Try(n.c)
	return err
}

// scatter has each rank be on a node of its own. It is collective.
func (n *node) scatter(own *comm.Comm) error {
	part, err := n.c.Split(n.c.Rank(), 0)
	return n.narrow(own, part, err)
}

// narrow has fewer ranks be those of the node.
func (n *node) narrow(own, part *comm.Comm, err error) error {
	if err != nil {
		return comm.Bare(err)
	}
	comm.BelongsTo(part, "") // it is the window's
	wider := n.c
	n.c = part
	if wider != own {
		err = wider.Free()
	}
	if err == nil {
		n.ranks, err = membersOf(own, part.Group())
	}
	return err
}

// whole tells whether all ranks of the window are on the node.
func (n *node) whole() bool { return n.ranks == nil }

// rankOf is the rank of the window of one of the node.
func (n *node) rankOf(i int) int {
	if n.ranks == nil {
		return i
	}
	return n.ranks[i]
}

// placeOf is the rank in the node of one of the window.
func (n *node) placeOf(rank int) (i int, ok bool) {
	if n.ranks == nil {
		return rank, true
	}
	return slices.BinarySearch(n.ranks, rank)
}

// processOf is the process of a rank of the node; nil: its memory can be addressed.
func (n *node) processOf(rank int) *reach.Process {
	if n.processes == nil {
		return nil
	}
	i, _ := n.placeOf(rank)
	return n.processes[i]
}

// free frees the communicator, if it is not that of the window.
func (n *node) free() error {
	if n.ranks == nil {
		return nil
	}
	return n.c.Free()
}

// A notice is what a rank tells of its memory. The unit of one that has failed is 0, and the bytes are what it wanted
// if there is no room on its node.
type notice struct{ bytes, unit uint64 }

// spread makes one window of those of the nodes, unless that of this node has failed. It is collective.
func (w *Window) spread(wanted int, failed error) error {
	if w.node.whole() {
		return failed
	}
	mine := notice{}
	if failed == nil {
		mine = notice{w.targets[w.me].bytes, w.targets[w.me].unit}
	} else if errors.Is(failed, comm.ErrNoRoom) {
		mine.bytes = uint64(wanted)
	}
	all, err := comm.Tell(w.own, "make window", mine)
	if err != nil {
		return cmp.Or(failed, err)
	}
	if err = cmp.Or(failed, wrong(all)); err == nil {
		for rank := range all { // of this node all have theirs
			if t := &w.targets[rank]; t.unit == 0 {
				t.bytes, t.unit, t.pid = all[rank].bytes, all[rank].unit, elsewhere
			}
		}
		w.remote, err = remote.Join(w.own, &w.words, w.memory())
	}
	if err != nil && w.data != nil { // on all ranks of the node, which come here
		err = errors.Join(err, w.data.Free())
	}
	return err
}

// wrong is an error if a rank has failed: without room it names the one that wants most.
func wrong(notices []notice) error {
	failed, most := -1, -1
	for rank, n := range notices {
		if n.unit > 0 {
			continue
		}
		if failed < 0 {
			failed = rank
		}
		if n.bytes > 0 && (most < 0 || n.bytes > notices[most].bytes) {
			most = rank
		}
	}
	switch {
	case most >= 0:
		return fmt.Errorf("rank %d: %w: %d bytes", most, comm.ErrNoRoom, notices[most].bytes)
	case failed >= 0:
		return fmt.Errorf("rank %d could not provide its memory", failed)
	}
	return nil
}

// memory is that of this rank, for ranks of other nodes.
func (w *Window) memory() remote.Memory {
	t := &w.targets[w.me]
	base := t.base.Load()
	m := remote.Memory{Place: update.Place{Addr: base, At: t.salt, Salt: t.salt, Far: w.far}}
	m.Check = func(offset uintptr, n int) error {
		lo := uint64(offset)
		if w.flavor == Dynamic {
			i, _ := w.node.placeOf(w.me)
			return w.attached.Check(i, lo, lo+uint64(n))
		}
		if uint64(n) > t.bytes || lo > t.bytes-uint64(n) {
			return fmt.Errorf("%w: bytes %d to %d; it has %d bytes", ErrRange, lo, lo+uint64(n)-1, t.bytes)
		}
		return nil
	}
	return m
}

// isRemote tells whether a rank is on another node.
func (w *Window) isRemote(rank int) bool { return w.targets[rank].pid == elsewhere }

// Serves tells whether a goroutine serves other ranks in the window.
func (w *Window) Serves() bool { return w.remote != nil }

// Segment is the memory of a rank of this node, for loads and stores.
func (w *Window) Segment(rank int) ([]byte, error) {
	if w.node.whole() {
		return w.data.Segment(rank)
	}
	if err := w.member(rank); err != nil {
		return nil, err
	}
	i, ok := w.node.placeOf(rank)
	if !ok {
		return nil, w.wrap("get the segment", rank, comm.ErrSeveralNodes)
	}
	return w.data.Segment(i)
}
