package btltest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// messageSizes are around the boundaries at which modules change their way.
func messageSizes(limit int) []int {
	return []int{0, 1, 8, 24, 25, 56, 87, 88, 89, limit - 1, limit, limit + 1, 16 << 10, 48<<10 - 1, 48 << 10,
		64<<10 + 3, 128 << 10, 300_001, 1 << 20, 3<<20 + 17}
}

// messagesInOrder: all ranks send to all, themselves too, in all sizes at random.
func messagesInOrder(e *env) {
	require.Positive(e, e.EagerLimit())
	require.Panics(e, func() { e.Send(0, &btl.Header{}, make([]byte, e.EagerLimit()+1)) })
	seed := uint64(20260101 + e.rank)
	rng := rand.New(rand.NewPCG(seed, 1))
	p := newPost(e)
	const each = 60
	sizes := messageSizes(e.EagerLimit())
	n := e.root.Ranks()
	for tag := range int32(each) {
		for to := range n {
			size := sizes[int(tag)%len(sizes)]
			if tag >= int32(len(sizes)) {
				size = sizes[rng.IntN(len(sizes)-4)] // the largest ones came once
			}
			p.send((e.rank+to)%n, tag, size)
		}
	}
	p.wait(each * n)
	p.sync(1)
	require.Equal(e, each*n, p.got)
	c := e.Counters()
	require.EqualValues(e, each*n, c.Received)
	require.EqualValues(e, each*n, c.InlineSent+c.EagerSent+c.OfferedSent)
	require.EqualValues(e, c.OfferedBytes > 0, c.DirectBytes+c.CMABytes+c.PipelinedBytes > 0)
	require.Equal(e, c, btl.CountersOf(c.Append(nil)), "what the supervisor is told")
}

// heldMessages keeps eager messages, whose bytes must stay, and releases them in
// random order.
func heldMessages(e *env) {
	rng := rand.New(rand.NewPCG(7, uint64(e.rank)))
	p := newPost(e)
	p.hold = true
	n := e.root.Ranks()
	const rounds, each = 5, 30
	for round := range int32(rounds) {
		for i := range int32(each) {
			for to := range n {
				p.send(to, round*each+i, min(100+int(i)*130, e.EagerLimit()))
			}
		}
		p.await(func() bool { return p.arrived >= int(round+1)*each*n })
		p.sync(int(round + 1))
		for _, f := range p.held {
			if !f.Inline && !f.Offered {
				p.check(f.Payload, mark(f.Source, f.Tag), 0)
			}
		}
		rng.Shuffle(len(p.held), func(i, j int) { p.held[i], p.held[j] = p.held[j], p.held[i] })
		p.letGo()
	}
	p.wait(rounds * each * n) // what was held may have been offered
	p.sync(rounds + 1)
}

func flood(e *env)      { floodWith(e, 8) }
func floodEager(e *env) { floodWith(e, min(1000, e.EagerLimit())) }

// floodWith sends to the last rank, which releases nothing, until the module says
// that it is enough; then an offer still gets through, and after the release
// everything works again.
func floodWith(e *env, size int) {
	p := newPost(e)
	last := e.root.Ranks() - 1
	p.hold = true
	const bound = 100_000
	tag := int32(0)
	for patience := 0; patience < 200 && tag < bound; {
		if p.trySend(last, p.header(last, tag, size), p.message(tag, size)) {
			tag++
			patience = 0
		} else {
			patience++ // the ring may be full for the moment, the credit is not
			time.Sleep(100 * time.Microsecond)
		}
		p.progress() // holds
	}
	require.Less(e, tag, int32(bound), "unreleased messages are bounded")
	require.GreaterOrEqual(e, tag, int32(4))
	p.await(func() bool {
		n := e.EagerLimit() + 1
		t, ok := e.Offer(last, p.header(last, tag, n), &btl.Buffer{Bytes: p.message(tag, n)})
		if ok {
			p.sent = append(p.sent, t)
		}
		return ok
	})
	tag++
	p.sync(1)
	p.wait(0)
	p.sync(2)
	p.hold = false
	p.letGo()
	p.sync(3)
	p.await(func() bool { // the ring may be full, but credit must be back
		return p.trySend(last, p.header(last, tag, size), p.message(tag, size))
	})
	for range 500 {
		tag++
		p.send(last, tag, size)
	}
	p.wait(0)
	p.sync(4)
}

// manyOffers offers many messages, accepts nothing meanwhile, and then all in reverse
// order: their number has no bound that an MPI program could run into.
func manyOffers(e *env) {
	p := newPost(e)
	last := e.root.Ranks() - 1
	const size, many = 10_000, 700
	var held []btl.Frame
	keep := func(f *btl.Frame) { held = append(held, *f) }
	offered := int32(0)
	for ; offered < many; offered++ {
		p.await2(func() bool {
			e.Poll(10, keep)
			t, ok := e.Offer(last, p.header(last, offered, size), &btl.Buffer{Bytes: p.message(offered, size)})
			if ok {
				p.sent = append(p.sent, t)
			}
			return ok
		})
	}
	for _, t := range p.sent {
		done, _ := t.Progress()
		require.False(e, done, "nobody has accepted")
	}
	all := 0
	if e.rank == last {
		all = many * e.root.Ranks()
	}
	p.await2(func() bool { e.Poll(100, keep); return len(held) == all })
	e.barrier() // the others have looked
	for i := len(held) - 1; i >= 0; i-- {
		dst := make([]byte, size)
		if t := e.Accept(&held[i], &btl.Buffer{Bytes: dst}); t != nil {
			p.incoming = append(p.incoming, incoming{t, held[i], dst})
		} else {
			p.done(&held[i], dst)
		}
	}
	p.wait(len(held))
	p.sync(1)
}

// truncatingAccept takes less than there is, all, or nothing, from buffers of all shapes
// into buffers of all shapes.
func truncatingAccept(e *env) {
	peer := (e.rank + 1) % e.root.Ranks()
	from := (e.rank + e.root.Ranks() - 1) % e.root.Ranks()
	p := newPost(e)
	for _, size := range []int{0, 1, 100, 5000, 200_000, 2 << 20} {
		for _, room := range []int{0, 1, size / 3, size, size + 100} {
			for shape := range len(shapes) * len(shapes) {
				if testkit.Race && shape%3 != 0 {
					continue
				}
				if shape > 0 && size > 200_000 {
					break // takes long, and the same way
				}
				src := newShaped(e, shape%len(shapes), size)
				src.Unpack(p.message(0, size), 0)
				dst := newShaped(e, shape/len(shapes), room)
				p.exchange(peer, src.Buffer, dst.Buffer, size)
				n := min(room, size)
				got := make([]byte, room)
				dst.Pack(got, 0)
				e.check(got[:n], mark(int32(from), 0), 0)
				require.Equal(e, make([]byte, room-n), got[n:], "what is behind the message stays")
				dst.Unpack(make([]byte, room), 0)
				require.Equal(e, make([]byte, len(dst.Bytes)), dst.Bytes, "what is between the pieces stays")
			}
		}
	}
	p.sync(1)
}

// exchange offers src to a peer and accepts what another has offered, of size bytes.
func (p *post) exchange(peer int, src, dst btl.Buffer, size int) {
	var sent, taken btl.Transfer
	got := false
	p.await2(func() (ok bool) {
		sent, ok = p.Offer(peer, &btl.Header{}, &src)
		return ok
	})
	p.await2(func() bool {
		if !got {
			p.Poll(1, func(f *btl.Frame) {
				require.True(p, f.Offered)
				require.EqualValues(p, size, f.Length)
				taken, got = p.Accept(f, &dst), true
			})
		}
		finish(p.env, &sent)
		finish(p.env, &taken)
		return got && sent == nil && taken == nil
	})
}

// await2 is await where the condition makes the progress.
func (p *post) await2(condition func() bool) {
	p.awaitDespite(func() bool { return condition() || p.deserted(condition) })
}

// awaitDespite is await2 for cases in which a rank goes.
func (p *post) awaitDespite(condition func() bool) { require.NoError(p, p.Sleep(condition, nil)) }

func finish(e *env, t *btl.Transfer) {
	if *t == nil {
		return
	}
	if done, err := (*t).Progress(); done {
		require.NoError(e, err)
		*t = nil
	}
}

// sleepersAreWoken by messages, by what happens to offers, and by Wake.
func sleepersAreWoken(e *env) {
	p := newPost(e)
	n := e.root.Ranks()
	for tag := range int32(40) {
		if int(tag)%n == e.rank {
			time.Sleep(time.Millisecond) // lets the others fall asleep
			for to := range n {
				p.send(to, tag/int32(n), 1+int(tag)*3000)
			}
		}
		p.await2(func() bool { p.progress(); return p.got > int(tag) && len(p.sent) == 0 })
	}
	woken := make(chan struct{})
	go func() {
		time.Sleep(5 * time.Millisecond)
		close(woken)
		e.Wake()
	}()
	p.await2(func() bool {
		select {
		case <-woken:
			return true
		default:
			return false
		}
	})
	p.sync(1)
}

// sendsWaitForRoom: senders that find the ring full sleep until there is room.
func sendsWaitForRoom(e *env) {
	p := newPost(e)
	const each = 3000
	if e.rank == 0 {
		for got := 0; got < each*(e.root.Ranks()-1); got = p.got {
			time.Sleep(200 * time.Microsecond)
			p.Poll(50, p.take)
			p.deserted(func() bool { return p.got >= each*(e.root.Ranks()-1) || p.Poll(50, p.take) > 0 })
		}
		p.sync(1)
		return
	}
	for tag := range int32(each) {
		src := p.message(tag, 8)
		h := p.header(0, tag, 8)
		// Credit alone is not signalled: this one polls when it is refused for that.
		before := e.Counters().RefusedCredit
		p.await2(func() bool {
			return p.trySend(0, h, src) || e.Counters().RefusedCredit != before
		})
		for e.Counters().RefusedCredit != before && !p.trySend(0, h, src) {
			time.Sleep(50 * time.Microsecond)
			p.deserted(never)
		}
	}
	p.sync(1)
}

// nothingIsAllocated by a module at work, once it has met its peer.
func nothingIsAllocated(e *env) {
	const warm, rounds = 90, 10
	bounce := func(x *Exchange) {
		if e.rank == 0 {
			x.Send()
			x.Wait(1)
		} else {
			x.Wait(1)
			x.Send()
		}
	}
	for _, size := range []int{8, 1000, 30_000, 600_000} {
		if e.root.Ranks() != 2 {
			return // in one process the goroutines of the others would be counted
		}
		x := NewExchange(e.Module, e.root, e.rank, size)
		x.fail = func(err error) { require.NoError(e, err) }
		for range warm {
			bounce(x)
		}
		allocs := func() float64 {
			if e.rank == 0 {
				return testing.AllocsPerRun(rounds-1, func() { bounce(x) })
			}
			for range rounds {
				bounce(x)
			}
			return 0
		}
		// On a busy machine a peer may seem silent and be greeted, or a pool grow once more.
		least := min(allocs(), allocs(), allocs())
		require.Less(e, least, 1.0, "%d bytes", size)
		x.Wait(0)
	}
}
