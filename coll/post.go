package coll

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/coll/cad"
)

// The post algorithm, for short broadcasts where ranks outnumber the CPUs: the root
// writes what it sends into a post of its own and goes on, and each other member takes it
// when it gets there. Nobody waits for members that are behind, so that a rank that has a
// CPU does as many calls as it can, until it needs a post that is not written yet.
//
// A member has several posts and uses them in turn, by the number of the call. It writes
// one when all members are through with the call that it was written for before
// (slot.passed). So it gets ahead of the others by as many calls at most.
//
// A member that waits, for a post or for one to be free, looks for arrivals at the board
// too, as in flat: if there are any, and the post is not there, calls do not match. As
// members arrive in different calls then, the number of the call is in the signature.

const (
	posts    = 8          // of a member
	postData = 17*64 - 16 // longest vector
)

// post is what a member broadcasts. Only the member writes it.
type post struct {
	call atomic.Uint64 // number of the call, when all else is there
	sig  uint64
	data [postData]byte
}

// posted does a broadcast by a post.
func posted(t *Team) {
	k, ok := t.enter()
	if !ok {
		return
	}
	a := &t.args
	p := t.postOf(k)
	if t.Rank == a.Root {
		if !t.await(k, emptied) {
			return
		}
		if !t.allPassed(p.call.Load()) {
			t.meet(k)
			return
		}
		p.sig = t.call
		copy(p.data[:], a.Send.Data)
		orderRelease()
		p.call.Store(k)
		t.board.slots[t.Rank].passed.Store(k)
		t.wake()
		return
	}
	if !t.await(k, written) {
		return
	}
	orderAcquire()
	if p.call.Load() != k {
		t.meet(k)
		return
	}
	if p.sig == t.call {
		copy(a.Recv.Data, p.data[:t.size])
	} else {
		t.note(cad.Between(t.world(a.Root), p.sig, t.world(t.Rank), t.call))
	}
	orderRelease()
	t.board.slots[t.Rank].passed.Store(k)
	t.inboxes[a.Root].Notify()
}

// fitsPost tells whether the board has posts and a call of this size fits into one.
func fitsPost(t *Team, n int) bool { return t.posting() && n <= postData }

// posting tells whether the team's board has posts.
func (t *Team) posting() bool { return crowded(t, 0) }

// postOf returns the post of call k.
func (t *Team) postOf(k uint64) *post { return &t.board.posts[t.args.Root][k%posts] }

// allPassed tells whether all members are through with call k.
func (t *Team) allPassed(k uint64) bool {
	for i := 1; i < t.Size; i++ {
		if t.board.slots[t.neighbour(i)].passed.Load() < k {
			return false
		}
	}
	return true
}
