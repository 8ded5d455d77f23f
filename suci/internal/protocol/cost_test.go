package protocol

import (
	"net/netip"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// An idle peer, after traffic, costs at most 1 KiB.
func TestIdlePeer(t *testing.T) {
	const peers = 400
	n := newNetwork(t, 21)
	hub := n.machine(0, netip.MustParseAddrPort("10.9.9.9:9"), nil)
	n.nodes = append(n.nodes, hub)
	heap := func() uint64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	visit := func(id ID) {
		x := n.machine(id, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(id >> 8), byte(id)}), 9), nil)
		n.nodes = append(n.nodes[:1], x)
		x.m.Add(0, hub.addr)
		finished := 0
		x.sendTo(hub, 3, block(0, 5000), func(error) { finished++ })
		n.run(Second, "a block there", func() bool { return finished == 1 })
		hub.sendTo(x, 5, block(0, 5000), func(error) { finished++ })
		n.run(Second, "a block back", func() bool { return finished == 2 })
		n.pass(Second / 2)
		delete(hub.got, stream{id, 3})
	}
	visit(1)
	n.nodes = n.nodes[:1]
	before := heap()
	for id := ID(2); id < 2+peers; id++ {
		visit(id)
	}
	n.nodes = append([]*node{}, hub)
	n.queue, hub.changes = nil, nil
	require.Empty(t, hub.m.active)
	per := (int64(heap()) - int64(before)) / peers
	t.Logf("%d bytes per idle peer", per)
	require.LessOrEqual(t, per, int64(1024))
	runtime.KeepAlive(hub)
}

// keep is a handler that keeps the last block.
type keep struct{ in *Incoming }

func (k *keep) Deliver(in *Incoming)  { k.in = in }
func (k *keep) Changed(*Peer, Change) {}

// A block of many packets goes from machine to machine without an allocation.
func TestNothingIsAllocated(t *testing.T) {
	for _, sealed := range []bool{false, true} {
		n := newNetwork(t, 22)
		change := func(c *Config) { c.Handler, c.Seal = &keep{}, sealed }
		a, b := n.start(change), n.start(change)
		from, to := NewBatch(1472), NewBatch(1472)
		carry := func(out *Batch, x, y *node) (any bool) {
			for more := true; more; {
				out.Reset()
				more = x.m.Transmit(n.now, out)
				for _, train := range out.Trains {
					y.m.Train(n.now, n.now, x.addr, train.Bytes, train.Length)
					any = true
				}
			}
			return any
		}
		done := false
		o := &Outgoing{Data: make([]byte, 300000), Done: func(*Outgoing, error) { done = true }}
		inbox := b.m.handler.(*keep)
		exchange := func() {
			done = false
			if err := a.m.Send(n.now, a.m.Peer(1), o); err != nil {
				t.Fatal(err)
			}
			for !done || inbox.in == nil {
				n.now += 10 * Microsecond
				carry(from, a, b)
				carry(to, b, a)
			}
			b.m.Free(inbox.in)
			inbox.in = nil
		}
		for range 20 {
			exchange()
		}
		require.Zero(t, testing.AllocsPerRun(50, exchange), "sealed: %v", sealed)
	}
}

// BenchmarkPingPong is what the machines at both ends cost for a short block there and back.
func BenchmarkPingPong(b *testing.B) {
	n := newNetwork(b, 23)
	change := func(c *Config) { c.Handler = &keep{} }
	ends := [2]*node{n.start(change), n.start(change)}
	batch := NewBatch(1472)
	var blocks [2]Outgoing
	move := func(from, to *node) {
		batch.Reset()
		from.m.Transmit(n.now, batch)
		for _, train := range batch.Trains {
			for p := range train.All() {
				to.m.Datagram(n.now, n.now, from.addr, p)
				to.m.Wake()
			}
		}
	}
	data := make([]byte, 8)
	for b.Loop() {
		for i, x := range ends {
			y := ends[1-i]
			n.now += 5 * Microsecond
			blocks[i] = Outgoing{Data: data, Priority: 4}
			if err := x.m.Send(n.now, x.m.Peer(ID(1-i)), &blocks[i]); err != nil {
				b.Fatal(err)
			}
			in := y.m.handler.(*keep)
			for move(x, y); in.in == nil; n.now += Millisecond {
				move(y, x)
				move(x, y)
			}
			y.m.Free(in.in)
			in.in = nil
		}
	}
}

// BenchmarkBlock is what the machines at both ends cost for a block of 1 MiB to a place.
func BenchmarkBlock(b *testing.B) {
	n := newNetwork(b, 24)
	change := func(c *Config) { c.Handler = &keep{} }
	x, y := n.start(change), n.start(change)
	batch := NewBatch(1472)
	move := func(from, to *node) {
		for more := true; more; {
			batch.Reset()
			more = from.m.Transmit(n.now, batch)
			for _, train := range batch.Trains {
				to.m.Train(n.now, n.now, from.addr, train.Bytes, train.Length)
			}
		}
	}
	data, place := make([]byte, 1<<20), make([]byte, 1<<20)
	inbox := y.m.handler.(*keep)
	b.SetBytes(1 << 20)
	for b.Loop() {
		done := false
		o := Outgoing{Data: data, Priority: 2, Place: 1, Done: func(*Outgoing, error) { done = true }}
		y.m.Expect(0, 1, place)
		if err := x.m.Send(n.now, x.m.Peer(1), &o); err != nil {
			b.Fatal(err)
		}
		for !done {
			n.now += 20 * Microsecond
			move(x, y)
			move(y, x)
		}
		y.m.Free(inbox.in)
		inbox.in = nil
	}
}
