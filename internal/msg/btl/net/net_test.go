package net_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/btltest"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/btl/net"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/suci"
)

// newRoot returns the root block of a job with a node for each rank. The nodes have one
// root block here, so that the suite's barriers work.
func newRoot(t *testing.T, ranks, cpus int) *job.Root {
	return newRootOf(t, ranks, cpus, 1, "")
}

// newRootOf is newRoot with so many devices: addresses of the loopback.
func newRootOf(t *testing.T, ranks, cpus, devices int, form string) *job.Root {
	nodes := make([]int, ranks)
	for i := range nodes {
		nodes[i] = i
	}
	var list []netip.Addr
	for i := range devices {
		list = append(list, netip.AddrFrom4([4]byte{127, 0, 0, byte(1 + i)}))
	}
	memory, err := job.Create(job.Config{
		Ranks: ranks, BTL: job.BTLSM, CPUs: cpus, Nodes: nodes, Host: list[0], Devices: list, Key: job.Key{7},
		Settings: job.Settings{Exchange: form},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memory.Close()) })
	return memory.Root()
}

// rank is what a rank has: the network for others, and memory for its own messages, as the
// engine has them beside each other.
type rank struct {
	*mem.Module
	net  *net.Module
	root *job.Root
	self int
	last btl.Messages // that of the last Send
}

func open(t *testing.T, root *job.Root, w *mem.World, self int) *rank {
	n, err := net.Open(root, self)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, n.Close()) })
	return &rank{Module: w.Module(self), net: n, root: root, self: self}
}

func (r *rank) to(peer int) btl.Messages {
	if peer == r.self {
		return r.Module
	}
	return r.net
}

// Capabilities are those of the network, which parks in its socket only, and the memory.
func (r *rank) Capabilities() btl.Capabilities {
	c := r.net.Capabilities()
	c.Memory, c.SetWaiter = r.Module, nil
	return c
}

func (r *rank) EagerLimit() int { return min(r.Module.EagerLimit(), r.net.EagerLimit()) }

func (r *rank) Send(peer int, h *btl.Header, payload []byte) (btl.Transfer, bool) {
	r.last = r.to(peer)
	return r.last.Send(peer, h, payload)
}

func (r *rank) SendBuffer(peer int, h *btl.Header, src btl.Buffer) bool {
	r.last = r.to(peer)
	return r.last.SendBuffer(peer, h, src)
}

func (r *rank) NoCredit() bool { return r.last.NoCredit() }

func (r *rank) Offer(peer int, h *btl.Header, src *btl.Buffer) (btl.Transfer, bool) {
	return r.to(peer).Offer(peer, h, src)
}

func (r *rank) Poll(max int, deliver func(*btl.Frame)) int {
	n := r.Module.Poll(max, deliver)
	if n == max {
		return n
	}
	return n + r.net.Poll(max-n, deliver)
}

func (r *rank) Senders(f func(rank int)) {
	r.Module.Senders(f)
	r.net.Senders(f)
}

func (r *rank) Accept(f *btl.Frame, dst *btl.Buffer) btl.Transfer {
	return r.to(int(f.Source)).Accept(f, dst)
}

func (r *rank) Release(f *btl.Frame) { r.to(int(f.Source)).Release(f) }

func (r *rank) Counters() btl.Counters { return r.Module.Counters().Plus(r.net.Counters()) }

func (r *rank) Sleep(ready func() bool, lasting func()) error {
	return r.net.Waiter().Sleep(r.root.Inbox(r.self),
		func() bool { return ready() || r.Module.More() && ready() }, lasting)
}

// aboutMemory are the cases of the suite that a network has no part in.
var aboutMemory = []string{"identity", "fresh memory", "bad lengths", "exhausted",
	"read and write peers", "lengths differ",
	"parts", "bad attachments", "atomics", "goroutines", "direct", "closed", "peer has gone", "short ways"}

func TestConformance(t *testing.T) {
	if testkit.Race {
		t.Skip("the suite synchronises through the job's mapped memory, which the race detector does not see")
	}
	for i, c := range btltest.Cases() {
		if slices.Contains(aboutMemory, c.Name) {
			continue
		}
		for j, ranks := range []int{2, 5} {
			if ranks > 2 && c.Name == "detached messages" {
				continue // takes long, and the same way
			}
			for _, cpus := range testkit.Turn(i+j, 1, 8) {
				t.Run(fmt.Sprintf("%s/ranks=%d/cpus=%d", c.Name, ranks, cpus), func(t *testing.T) {
					root := newRoot(t, ranks, cpus)
					w := mem.New(root, mem.Options{EagerLimit: job.MaxEagerLimit})
					all := make([]*rank, ranks)
					for self := range ranks {
						all[self] = open(t, root, w, self)
					}
					jobtest.Ranks(t, root, func(self int) error {
						if err := c.Run(all[self], root, self); err != nil {
							return err
						}
						return all[self].net.Flush(context.Background())
					})
				})
			}
		}
	}
}

// TestArrivalDuringARefusedSend: a message that a send takes in while it looks for credit keeps the
// rank from going to sleep.
func TestArrivalDuringARefusedSend(t *testing.T) {
	root := newRoot(t, 2, 2)
	w := mem.New(root, mem.Options{})
	a, b := open(t, root, w, 0).net, open(t, root, w, 1).net
	deadline := time.Now().Add(time.Minute)
	payload, refused := make([]byte, 4096), false
	for sent := 0; !refused; sent++ { // b never polls, and so gives no credit
		_, ok := a.Send(1, &btl.Header{}, payload)
		refused = !ok && sent > 0
		require.True(t, time.Now().Before(deadline))
	}
	before := root.Inbox(0).Count()
	require.Zero(t, a.Poll(1, func(*btl.Frame) {})) // a looks: what has not come by now is told, after before
	_, sent := b.Send(0, &btl.Header{Tag: 7}, nil)
	for ; !sent; _, sent = b.Send(0, &btl.Header{Tag: 7}, nil) {
		require.True(t, time.Now().Before(deadline))
	}
	require.Eventually(t, func() bool { return root.Inbox(0).Count() != before }, time.Minute, time.Millisecond)
	for !a.Arrived() {
		before = root.Inbox(0).Count()
		_, ok := a.Send(1, &btl.Header{}, payload)
		require.False(t, ok)
		require.True(t, !a.Arrived() || root.Inbox(0).Count() != before)
		require.True(t, time.Now().Before(deadline))
	}
	require.Equal(t, 1, a.Poll(1, func(f *btl.Frame) { require.EqualValues(t, 7, f.Tag); a.Release(f) }))
}

// TestNewsAfterProgress: a rank that waits for a transfer alone need not poll before it sleeps. It has looked when it
// has made progress, so what comes after that is told.
func TestNewsAfterProgress(t *testing.T) {
	root := newRoot(t, 2, 2)
	w := mem.New(root, mem.Options{})
	a := open(t, root, w, 0).net
	open(t, root, w, 1)
	src := btl.Buffer{Bytes: make([]byte, 1<<20)}
	transfer, ok := a.Offer(1, &btl.Header{}, &src)
	require.True(t, ok)
	for range 3 {
		before := root.Inbox(0).Count()
		done, err := transfer.Progress()
		require.NoError(t, err)
		require.False(t, done)
		a.News()
		require.NotEqual(t, before, root.Inbox(0).Count())
	}
}

// TestCloseBeforeTheMemoryGoes: nothing of a module touches the memory of the job after Close.
func TestCloseBeforeTheMemoryGoes(t *testing.T) {
	for range 100 {
		memory, err := job.Create(job.Config{
			Ranks: 1, BTL: job.BTLSM, CPUs: 1, Nodes: []int{0}, Host: netip.MustParseAddr("127.0.0.1"), Key: job.Key{7},
		})
		require.NoError(t, err)
		m, err := net.Open(memory.Root(), 0)
		require.NoError(t, err)
		require.NoError(t, m.Close())
		require.NoError(t, memory.Close())
	}
}

// TestUnknownAddress: a peer whose address is not known yet is not sent to, and its
// messages are answered all the same.
func TestUnknownAddress(t *testing.T) {
	root := newRoot(t, 2, 1)
	m, err := net.Open(root, 0)
	require.NoError(t, err)
	defer m.Close()
	_, ok := m.Send(1, &btl.Header{}, nil)
	require.False(t, ok)
	other, err := net.Open(root, 1)
	require.NoError(t, err)
	defer other.Close()
	_, ok = m.Send(1, &btl.Header{Tag: 5}, []byte("x"))
	require.True(t, ok)
	got := 0
	require.Eventually(t, func() bool {
		got += other.Poll(1, func(f *btl.Frame) {
			require.EqualValues(t, 5, f.Tag)
			other.Release(f)
		})
		return got == 1
	}, 10*time.Second, 100*time.Microsecond)
}

// TestOtherKey: messages of another job are not taken.
func TestOtherKey(t *testing.T) {
	root := newRoot(t, 2, 1)
	m, err := net.Open(root, 0)
	require.NoError(t, err)
	defer m.Close()
	memory, err := job.Create(job.Config{
		Ranks: 2, BTL: job.BTLSM, CPUs: 1, Nodes: []int{0, 1}, Node: 1,
		Host: netip.MustParseAddr("127.0.0.1"), Key: job.Key{8},
	})
	require.NoError(t, err)
	defer memory.Close()
	stranger := memory.Root()
	stranger.SetAddresses(0, root.Addresses(0)...)
	s, err := net.Open(stranger, 1)
	require.NoError(t, err)
	defer s.Close()
	_, ok := s.Send(0, &btl.Header{}, nil)
	require.True(t, ok)
	short, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.Flush(short), context.DeadlineExceeded)
	require.Zero(t, m.Poll(1, func(*btl.Frame) {}))
}

// With Encrypt a rank takes packets only from those who encrypt, too.
func TestEncrypt(t *testing.T) {
	for _, encrypt := range []bool{false, true} {
		memory, err := job.Create(job.Config{
			Ranks: 2, BTL: job.BTLSM, CPUs: 2, Nodes: []int{0, 1},
			Host: netip.MustParseAddr("127.0.0.1"), Key: job.Key{7},
			Settings: job.Settings{Encrypt: encrypt},
		})
		require.NoError(t, err)
		root := memory.Root()
		n, err := net.Open(root, 0)
		require.NoError(t, err)
		at := root.Addresses(0)[0]
		for _, stranger := range []bool{false, true} {
			options := suci.Options{Self: suci.ID(job.NetName(root, 1)), Key: suci.Key{7}, Encrypt: stranger}
			if encrypt != stranger {
				options.Timeout = 200 * time.Millisecond // it hears nothing
			}
			e, err := suci.Open(options)
			require.NoError(t, err)
			p, err := e.Destination(suci.ID(job.NetName(root, 0)), at)
			require.NoError(t, err)
			require.NoError(t, p.Write(t.Context(), suci.Block{Data: []byte("not of any rank")}))
			if err := p.Flush(t.Context()); encrypt == stranger {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, suci.ErrLost)
			}
			require.NoError(t, e.Close())
		}
		require.NoError(t, n.Close())
		require.NoError(t, memory.Close())
	}
}
