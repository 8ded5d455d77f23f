package window

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/internal/coll"
	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/internal/courier"
	"github.com/gopvas/gopvas/internal/reach"
)

// Windows of several nodes. The ranks of each node make one of their own, with a control block that has records of all
// ranks; then all tell one another of their memory. Processes may be forbidden to read one another's memory. Then they
// make a window of the program's memory as if each were on a node of its own.

// split finds the ranks whose memory is reached without requests. It is collective.
func (w *Window) split() error {
	w.node = w.own
	if !comm.OneNode(w.own) {
		if w.flavor == Shared {
			return comm.ErrSeveralNodes
		}
		if err := w.narrow(w.own.SplitType(comm.Shared, 0)); err != nil {
			return err
		}
	}
	return nil
}

// findProcesses finds out which processes the ranks of the node are, whose memory is reached by their numbers. If that
// is forbidden, each rank is on a node of its own from now on, and its window gone. It is collective.
func (w *Window) findProcesses() (forbidden bool, err error) {
	w.processes, err = reach.Try(w.node)
	if w.far = err == nil; !errors.Is(err, reach.ErrForbidden) {
		return false, err
	}
	if err := w.data.Free(); err != nil {
		return false, comm.Bare(err)
	}
	return true, w.narrow(w.node.Split(w.node.Rank(), 0))
}

// narrow has fewer ranks be those of the node.
func (w *Window) narrow(node *comm.Comm, err error) error {
	if err != nil {
		return comm.Bare(err)
	}
	comm.BelongsTo(node, "") // it is the window's
	wider := w.node
	w.node = node
	if wider != w.own {
		err = wider.Free()
	}
	if err == nil {
		w.near, err = w.members(node.Group())
	}
	return err
}

// rankOf is the rank of the window of one of the node.
func (w *Window) rankOf(i int) int {
	if w.near == nil {
		return i
	}
	return w.near[i]
}

// placeOf is the rank in node of one of the window.
func (w *Window) placeOf(rank int) (i int, ok bool) {
	if w.near == nil {
		return rank, true
	}
	return slices.BinarySearch(w.near, rank)
}

// isRemote tells whether a rank is on another node.
func (w *Window) isRemote(rank int) bool { return w.targets[rank].pid == elsewhere }

// Serves tells whether a goroutine serves other ranks in the window.
func (w *Window) Serves() bool { return w.remote != nil }

// Segment is the memory of a rank of this node, for loads and stores.
func (w *Window) Segment(rank int) ([]byte, error) {
	if w.near == nil {
		return w.data.Segment(rank)
	}
	if err := w.member(rank); err != nil {
		return nil, err
	}
	i, ok := w.placeOf(rank)
	if !ok {
		return nil, w.wrap("get the segment", rank, comm.ErrSeveralNodes)
	}
	return w.data.Segment(i)
}

// A notice is what a rank tells of its memory: its bytes and its unit. The unit of one that has failed is 0, and the
// bytes are what it wanted if there is no room on its node.
const noticeSize = 2 * 8

// spread makes one window of those of the nodes, unless that of this node has failed. It is collective.
func (w *Window) spread(wanted int, failed error) error {
	if w.near == nil {
		return failed
	}
	mine, all := make([]byte, noticeSize), make([]byte, noticeSize*w.own.Size())
	if failed == nil {
		binary.LittleEndian.PutUint64(mine, w.targets[w.me].bytes)
		binary.LittleEndian.PutUint64(mine[8:], w.targets[w.me].unit)
	} else if errors.Is(failed, comm.ErrNoRoom) {
		binary.LittleEndian.PutUint64(mine, uint64(wanted))
	}
	err := comm.RunCollective(w.own, "make window", &coll.Args{Kind: coll.Allgather, Send: coll.Buffer{Data: mine},
		Recv: coll.Buffer{Data: all, Block: noticeSize}})
	if err != nil {
		return cmp.Or(failed, err)
	}
	if err = cmp.Or(failed, w.noRoom(all)); err == nil {
		err = w.heed(all)
	}
	if err == nil {
		w.remote = newRemote(len(w.targets))
		w.remote.line, err = courier.Join(w.own, w.receive)
	}
	if err != nil && w.data != nil { // on all ranks of the node, which come here
		err = errors.Join(err, w.data.Free())
	}
	return err
}

// heed notes what ranks of other nodes have told. That a rank has failed is an error on all.
func (w *Window) heed(notices []byte) error {
	for rank := range w.own.Size() {
		notice := notices[noticeSize*rank:]
		bytes, unit := binary.LittleEndian.Uint64(notice), binary.LittleEndian.Uint64(notice[8:])
		if unit == 0 {
			return fmt.Errorf("rank %d could not provide its memory", rank)
		}
		if t := &w.targets[rank]; t.unit == 0 { // of this node all have theirs
			t.bytes, t.unit, t.pid = bytes, unit, elsewhere
		}
	}
	return nil
}

// noRoom names the rank that wants most on a node without room.
func (w *Window) noRoom(notices []byte) error {
	most, who := uint64(0), 0
	for rank := range w.own.Size() {
		notice := notices[noticeSize*rank:]
		if bytes := binary.LittleEndian.Uint64(notice); binary.LittleEndian.Uint64(notice[8:]) == 0 && bytes > most {
			most, who = bytes, rank
		}
	}
	if most == 0 {
		return nil
	}
	return fmt.Errorf("rank %d: %w: %d bytes", who, comm.ErrNoRoom, most)
}

// part returns when no rank of the window sends requests any more.
func (w *Window) part() error {
	if w.remote == nil {
		return nil
	}
	err := w.own.Barrier()
	w.remote.line.Leave()
	return err
}

// unite frees the communicator of the node, if the window has one.
func (w *Window) unite() error {
	if w.near == nil {
		return nil
	}
	return w.node.Free()
}
