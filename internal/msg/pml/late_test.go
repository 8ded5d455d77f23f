package pml

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/mpi/fault"
)

// A receive from any rank fails when all others of the world have ended well; among ranks of other worlds, when all of
// these have. A rank that is alone in its world, or in a communicator with such ranks, may still send to itself.
func TestAnySourceAmongWorlds(t *testing.T) {
	const own, peers, both = 0, 8, 16
	for _, size := range []int{1, 2} {
		root := jobtest.Create(t, job.Config{Ranks: size, Places: 4, BTL: job.BTLSM, CPUs: 1}).Root()
		e := New(root, 0, mem.New(root, mem.Options{}).Module(0))
		late, err := root.AddWorld(1, 0, 1)
		require.NoError(t, err)
		e.Among(peers, []int32{int32(late.First)})
		e.Among(both, []int32{0, int32(late.First)})
		ends := func(rank int) {
			root.SetState(rank, job.StateFinal)
			root.MarkGone(rank)
		}
		waits := func(context uint32) {
			r, err := e.Irecv(context, AnySource, 1, nil)
			require.NoError(t, err)
			_, done, err := r.Test()
			require.NoError(t, err)
			require.False(t, done)
			r.Leave()
		}
		if size == 2 {
			ends(1)
			_, err = e.Recv(own, AnySource, 1, nil)
			require.Equal(t, &fault.LostError{Rank: 1}, err)
		}
		waits(peers)
		ends(late.First)
		_, err = e.Recv(peers, AnySource, 1, nil)
		require.Equal(t, &fault.LostError{Rank: late.First}, err)
		waits(both)
		if size == 1 {
			waits(own)
		}
	}
}

// A rank of another world that is killed fails no receive of this one's.
func TestLostRankOfAnotherWorld(t *testing.T) {
	root := jobtest.Create(t, job.Config{Ranks: 2, Places: 4, BTL: job.BTLSM, CPUs: 1}).Root()
	e := New(root, 0, mem.New(root, mem.Options{}).Module(0))
	late, err := root.AddWorld(1, 0, 1)
	require.NoError(t, err)
	root.MarkGone(late.First)
	r, err := e.Irecv(0, AnySource, 1, nil)
	require.NoError(t, err)
	_, done, err := r.Test()
	require.NoError(t, err)
	require.False(t, done)
	r.Leave()
	root.MarkGone(1)
	_, err = e.Recv(0, AnySource, 1, nil)
	require.Equal(t, &fault.LostError{Rank: 1}, err)
}

// A rank that is added is reached by the module that its node needs.
func TestLateRanksOfOtherNodes(t *testing.T) {
	root := jobtest.Create(t, job.Config{Ranks: 2, Places: 4, BTL: job.BTLSM, CPUs: 1, Nodes: []int{0, 1}}).Root()
	e := New(root, 0, mem.New(root, mem.Options{}).Module(0))
	e.AddPeers(mem.New(root, mem.Options{}).Network(0), func(rank int) bool { return root.Node(rank) != 0 })
	_, err := root.AddWorld(2, 0, 1, 1, 0)
	require.NoError(t, err)
	for rank, far := range []bool{false, true, true, false} {
		require.Equal(t, far, e.p.to(rank) != &e.p.routes.First, rank)
		require.Equal(t, far, e.Routes().Memory([]int32{0, int32(rank)}) == nil, rank)
	}
}

// A rank that has gone keeps the messages of others off the short way no longer than until it is noticed.
func TestShortWayBesideThoseThatHaveGone(t *testing.T) {
	root := jobtest.Create(t, job.Config{Ranks: 3, BTL: job.BTLSM, CPUs: 3}).Root()
	e := New(root, 0, mem.New(root, mem.Options{}).Module(0))
	root.MarkGone(2)
	e.Progress()
	require.True(t, e.p.simple(1, 0))
	require.False(t, e.p.simple(2, 0))
	e.threads.lock()
	require.True(t, e.p.comesFirst(0, 1, 0))
	require.False(t, e.p.comesFirst(0, 2, 0))
	e.threads.unlock()
	require.NoError(t, e.Send(0, 1, 0, nil, Standard))
	require.Equal(t, &fault.LostError{Rank: 2}, e.Send(0, 2, 0, nil, Standard))
	_, err := e.Recv(0, 2, 0, nil)
	require.Equal(t, &fault.LostError{Rank: 2}, err)
	e.Close()
	require.False(t, e.p.simple(1, 0))
}

// The end of a rank of another job concerns the contexts that it is in, and no other.
func TestVisitorsThatHaveGone(t *testing.T) {
	root := jobtest.Create(t, job.Config{Ranks: 2, Places: 8, BTL: job.BTLSM, CPUs: 1}).Root()
	root.SetJobNumber(3)
	require.NoError(t, root.AddVisitors(job.Visitors{Number: 4, Pid: 99, Nodes: []int{0, 0, 0}}))
	e := New(root, 0, mem.New(root, mem.Options{}).Module(0))
	e.AddVisitors(mem.New(root, mem.Options{}).Network(0))
	const all, some, accepts, own = 8, 16, 24, 32
	e.Among(all, []int32{0, 1, 5, 6, 7})
	e.Among(some, []int32{6, 7})
	e.Among(accepts, []int32{})
	waits := map[uint32]*Request{}
	for _, context := range []uint32{all, some, accepts, own} {
		r, err := e.Irecv(context, AnySource, 1, nil)
		require.NoError(t, err)
		waits[context] = &r
	}
	ends := func(context uint32) error {
		_, done, err := waits[context].Test()
		if !done && err == nil {
			return nil
		}
		require.Error(t, err)
		return err
	}
	lost := func(rank int) error { return &fault.LostError{Rank: rank, Of: root.OtherJob(rank)} }
	root.MarkGone(5) // rank 2 of the other job, by a signal
	require.Equal(t, lost(5), ends(all))
	require.NoError(t, ends(some))
	root.SetState(6, job.StateFinal)
	root.MarkGone(6)
	require.NoError(t, ends(some), "rank 7 may send")
	root.SetState(7, job.StateFinal)
	root.MarkGone(7)
	require.Equal(t, lost(7), ends(some), "nobody is left")
	require.NoError(t, ends(accepts))
	require.NoError(t, ends(own), "rank 1 may send")
	require.Equal(t, lost(7), e.Send(0, 7, 0, nil, Standard))
	root.SetState(1, job.StateFinal)
	root.MarkGone(1)
	require.ErrorContains(t, ends(own), "has gone")
	require.NoError(t, ends(accepts))
	waits[accepts].Leave()
}
