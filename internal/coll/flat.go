package coll

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/shm"
)

// The flat algorithm, for short vectors of a few members with a CPU each. Each member puts
// its bytes into a page of the board, waits until all have done so, and takes what it needs
// from the pages. That is one cache line from each member to each, all at the same time.
//
// A member has two pages, for even and odd calls. When it enters call k and writes a page,
// all members have entered call k-1, so all have completed k-2 and have done with that page.
//
// A member that has written a page does not read it again in the call, but its own buffer: the others
// read the page's lines at that time. With 2 KiB and two members the call takes a tenth less.
//
// Members in different calls may choose different algorithms. Then some arrive at the board
// while others wait for pages. These see the arrival and arrive as well, and the last arriver
// finds that the calls do not match.

const (
	pageData = 8192 - 16 // bytes
	pageTake = 4096 - 16 // most that one member takes of a page: longer vectors are faster by other ways
	maxFlat  = 16        // members
)

// page holds what a member sends. Only the member writes it.
type page struct {
	call atomic.Uint64 // number of the call, when all else is there
	sig  uint64
	data [pageData]byte
}

// sign enters a call and writes its signature to this member's page. There is no page if the call
// can not be done.
func (t *Team) sign() (k uint64, p *page) {
	k, ok := t.enter()
	if !ok {
		return 0, nil
	}
	p = t.page(t.Rank, k)
	p.sig = t.call
	return k, p
}

// flat does the call by pages.
func flat(t *Team) {
	k, p := t.sign()
	if p == nil {
		return
	}
	if t.args.Kind == Barrier { // has no bytes to give or take
		t.exchangePages(k)
		return
	}
	copy(p.data[:], t.args.given(t.Rank, t.Size, t.size))
	if t.exchangePages(k) {
		t.take(k)
	}
}

// exchangePages publishes this member's page of call k, which is written, and waits for those of
// the others. It returns false if the call has failed: then not all members make the same one.
func (t *Team) exchangePages(k uint64) bool {
	shm.OrderRelease()
	t.page(t.Rank, k).call.Store(k)
	t.wake()
	if !t.await(k, published) {
		return false
	}
	shm.OrderAcquire()
	alike := true
	for i := 1; i < t.Size; i++ {
		p := t.page(t.neighbour(i), k)
		if p.call.Load() != k { // the wait has ended for another cause
			t.meet(k)
			return false
		}
		alike = alike && p.sig == t.call
	}
	if !alike {
		t.note(t.difference(func(i int) call { return call{word: t.page(i, k).sig} }))
		return false
	}
	shm.PrefetchWrite(&t.page(t.Rank, k+1).call) // nobody reads it any more, and the next call writes it first
	return true
}

// page returns the page of a member in call k.
func (t *Team) page(member int, k uint64) *page { return &t.board.pages[member][k&1] }

// fitsPages tells whether the board has pages and a call of this size fits into them.
func fitsPages(t *Team, n int) bool {
	blocks := 1
	if t.args.Kind == Scatter || t.args.Kind == Alltoall {
		blocks = t.Size
	}
	return t.paged() && n <= pageTake && n*blocks <= pageData
}

// paged tells whether the team's board has pages.
func (t *Team) paged() bool { return t.Size <= maxFlat && undersubscribed(t, 0) }

// given returns the bytes that a member of a team of some size puts into its page, if a vector
// or block has n bytes.
func (a *Args) given(rank, size, n int) []byte {
	if !a.Kind.rooted() || a.Kind == Reduce || a.Kind == Gather || rank == a.Root {
		if a.Kind == Alltoall || a.Kind == Scatter {
			return a.Send.Data[:n*size]
		}
		return a.Send.Data[:n]
	}
	return nil
}

// own returns what this member has put into its page, or nil.
func (t *Team) own() []byte {
	own := t.args.given(t.Rank, t.Size, t.size)
	if t.args.InPlace && t.args.Kind.reduces() { // the result comes to lie there
		t.kept = append(t.kept[:0], own...)
		return t.kept
	}
	return own
}

func (t *Team) allPublished(k uint64) bool {
	for i := 1; i < t.Size; i++ {
		if t.page(t.neighbour(i), k).call.Load() != k {
			return false
		}
	}
	return true
}

// take makes this member's result from the pages of call k.
func (t *Team) take(k uint64) {
	from := t.from[:0]
	for member := range t.Size {
		from = append(from, t.page(member, k).data[:])
	}
	if own := t.own(); own != nil {
		from[t.Rank] = own
	}
	t.from = from
	t.args.take(t, t.Rank, t.size, from)
	from[t.Rank] = nil // it is the caller's
}

// combiner applies the operator of a call, and has memory for it.
type combiner interface {
	apply(inout, in []byte)
	temp(n int) []byte
}

// take makes the result of a member from what all members have given, n bytes for each of them.
func (a *Args) take(c combiner, rank, n int, from [][]byte) {
	switch a.Kind {
	case Bcast:
		if rank != a.Root {
			copy(a.Recv.Data[:n], from[a.Root])
		}
	case Reduce:
		if rank == a.Root {
			takeSum(c, a.Recv.Data[:n], from)
		}
	case Allreduce:
		takeSum(c, a.Recv.Data[:n], from)
	case Scan:
		takeSum(c, a.Recv.Data[:n], from[:rank+1])
	case Exscan:
		takeSum(c, a.Recv.Data[:n], from[:rank])
	case ReduceScatter:
		sum := c.temp(n)
		takeSum(c, sum, from)
		start, length := a.Send.block(rank)
		copy(a.Recv.Data, sum[start:][:length])
	case Scatter:
		copy(a.Recv.Data, from[a.Root][rank*n:][:n])
	default:
		a.takeBlocks(rank, n, from)
	}
}

// takeSum combines what some members have given.
func takeSum(c combiner, sum []byte, from [][]byte) {
	if len(from) == 0 {
		return
	}
	copy(sum, from[0])
	for _, in := range from[1:] {
		c.apply(sum, in[:len(sum)])
	}
}

// takeBlocks copies a member's block of n bytes out of what each one has given.
func (a *Args) takeBlocks(rank, n int, from [][]byte) {
	if a.Kind == Barrier || a.Kind == Gather && rank != a.Root {
		return
	}
	for member, in := range from {
		if a.Kind == Alltoall {
			in = in[rank*n:]
		}
		copy(a.Recv.Part(member), in[:n])
	}
}
