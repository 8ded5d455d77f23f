package net_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	stdnet "net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/btl/net/devices"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/suci"
)

// talk is a rank that sends messages to all others, and gets as many.
type talk struct {
	*rank
	t       *testing.T
	sizes   []int // the same of all
	out     []btl.Transfer
	in      map[btl.Transfer]func()
	got     map[int]int // messages by source
	devices int
	dead    int     // the first devices, which carry nothing
	ready   bool    // all peers can be reached by all devices but those
	pending [][]int // by destination, the messages that were not sent yet
}

func content(from, number, size int) []byte {
	rng := rand.New(rand.NewPCG(uint64(from), uint64(number)))
	b := make([]byte, size)
	for i := 0; i < size; i += 8 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], rng.Uint64())
		copy(b[i:], word[:])
	}
	return b
}

// take takes a message. Those of a rank come in order.
func (k *talk) take(f *btl.Frame) {
	from, number := int(f.Source), int(f.Tag)
	if want := k.got[from]; number != want {
		k.t.Errorf("message %d of rank %d has come before message %d", number, from, want)
	}
	k.got[from]++
	want := content(from, number, k.sizes[number])
	if !f.Offered {
		if !bytes.Equal(want, f.Payload) {
			k.t.Errorf("message %d of rank %d differs", number, from)
		}
		k.Release(f)
		return
	}
	buf := make([]byte, len(want))
	check := func() {
		if !bytes.Equal(want, buf) {
			k.t.Errorf("message %d of rank %d differs", number, from)
		}
	}
	if t := k.Accept(f, &btl.Buffer{Bytes: buf}); t != nil {
		k.in[t] = check
	} else {
		check()
	}
}

// step makes progress and tells whether all is done.
func (k *talk) step() bool {
	for to, list := range k.pending {
		// The first message opens the ways.
		for len(list) > 0 && (k.ready || list[0] == 0) && k.send(to, list[0]) {
			list = list[1:]
		}
		k.pending[to] = list
	}
	k.Poll(8, k.take)
	if !k.ready {
		k.ready = true
		for peer := range k.pending {
			for device := k.dead; device < k.devices; device++ {
				k.ready = k.ready && (peer == k.self || k.net.Peer(peer).State(device) == devices.Up)
			}
		}
	}
	left := k.out[:0]
	for _, t := range k.out {
		done, err := t.Progress()
		if err != nil {
			k.t.Error(err)
		}
		if !done {
			left = append(left, t)
		}
	}
	k.out = left
	for t, check := range k.in {
		if done, err := t.Progress(); done {
			if err != nil {
				k.t.Error(err)
			}
			check()
			delete(k.in, t)
		}
	}
	for peer, list := range k.pending {
		if len(list) > 0 || peer != k.self && k.got[peer] < len(k.sizes) {
			return false
		}
	}
	return len(k.out) == 0 && len(k.in) == 0
}

func (k *talk) send(to, number int) bool {
	b := content(k.self, number, k.sizes[number])
	h := &btl.Header{Tag: int32(number), Length: uint64(len(b))}
	if len(b) <= k.EagerLimit() {
		if _, ok := k.Send(to, h, b); ok {
			return true
		}
	}
	t, ok := k.Offer(to, h, &btl.Buffer{Bytes: b})
	if ok {
		k.out = append(k.out, t)
	}
	return ok
}

// conversation is messages of all ranks to all others.
type conversation struct {
	ranks, devices int
	form           string
	sizes          []int
	begin          func(k *talk) // is called for each rank before any of them begins
	at             func(k *talk) // is called by rank 0 at each step
}

// run has all ranks talk. It returns what rank 0 has done with its devices.
func (c conversation) run(t *testing.T) (used []job.DeviceUse) {
	root := newRootOf(t, c.ranks, 2, c.devices, c.form)
	w := mem.New(root, mem.Options{EagerLimit: 4 * job.DefaultEagerLimit})
	var all []*talk
	for self := range c.ranks {
		k := &talk{rank: open(t, root, w, self), t: t, sizes: c.sizes, devices: c.devices,
			in: map[btl.Transfer]func(){}, got: map[int]int{}, pending: make([][]int, c.ranks)}
		for peer := range c.ranks {
			for number := range c.sizes {
				if peer != self {
					k.pending[peer] = append(k.pending[peer], number)
				}
			}
		}
		if c.begin != nil {
			c.begin(k)
		}
		all = append(all, k)
	}
	var wg, ended sync.WaitGroup
	ended.Add(c.ranks)
	for _, k := range all {
		wg.Go(func() {
			if err := c.talk(k); err != nil {
				t.Error(err)
			}
			if k.self == 0 {
				used = k.net.Devices().Uses()
			}
			ended.Done()
			ended.Wait() // others may need what this one repeats
		})
	}
	wg.Wait()
	return used
}

// talk has a rank talk until all has been said, and heard.
func (c conversation) talk(k *talk) error {
	var members []btl.Member
	for peer, list := range k.pending {
		for _, number := range list {
			members = append(members, btl.Member{Peer: peer, Tag: int32(number), Bytes: c.sizes[number]})
		}
	}
	k.net.Together(members)
	err := k.Sleep(func() bool {
		if k.self == 0 && c.at != nil {
			c.at(k)
		}
		return k.step()
	}, nil)
	if err == nil {
		err = k.net.Flush(k.t.Context())
	}
	return err
}

// TestSeveralDevices: messages of all lengths between three ranks, by all plans. Each comes
// whole, once and in order. Several devices have a part, unless the choice is free. On a machine
// under load a device may be doubted, and others take its part.
func TestSeveralDevices(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, form := range append(exchange.Forms(), exchange.Auto) {
		t.Run(form.String(), func(t *testing.T) {
			sizes := []int{1}
			for range 12 {
				sizes = append(sizes, rng.IntN(1<<rng.IntN(22)))
			}
			sizes = append(sizes, 3<<20, 0)
			used := conversation{ranks: 3, devices: 3, form: form.String(), sizes: sizes}.run(t)
			require.Len(t, used, 3)
			parts := 0
			for _, u := range used {
				if u.Sent > 0 {
					parts++
				}
			}
			require.True(t, parts > 1 || form == exchange.Auto, "%+v", used)
		})
	}
}

// TestDeviceFails: devices of a rank go one after the other, also the one by which the ranks
// have met. Nothing is lost.
func TestDeviceFails(t *testing.T) {
	for _, order := range [][]int{{1}, {2, 1}, {0}, {0, 2}} {
		sizes := []int{100, 5 << 20, 1 << 20, 3000, 300_000, 16_000, 7 << 20, 200, 2 << 20, 40_000, 1 << 20}
		failed := 0
		conversation{ranks: 2, devices: 3, form: "auto", sizes: sizes, at: func(k *talk) {
			if failed < len(order) && k.ready && k.got[1] > 2+4*failed {
				k.net.Fail(order[failed])
				failed++
			}
		}}.run(t)
		require.Equal(t, len(order), failed)
	}
}

// TestMeetsByAnyDevice: ranks reach one another although the first device carries nothing from the beginning.
func TestMeetsByAnyDevice(t *testing.T) {
	hole, err := stdnet.ListenPacket("udp", "127.0.0.1:0") // takes packets, and answers none
	require.NoError(t, err)
	defer hole.Close()
	nowhere := hole.LocalAddr().(*stdnet.UDPAddr).AddrPort()
	conversation{ranks: 2, devices: 3, form: "auto", sizes: []int{100, 3000, 1 << 20, 5}, begin: func(k *talk) {
		at := k.net.Devices().Addresses()
		at[0], k.dead = nowhere, 1
		k.root.SetAddresses(k.self, at...)
	}}.run(t)
}

// TestSilentPathIsDoubtedFirst: a peer may be late because its node has more work than CPUs. So a
// path that becomes silent keeps what is under way, and is taken down if it stays silent. Nothing
// is lost either way.
func TestSilentPathIsDoubtedFirst(t *testing.T) {
	sizes := []int{100, 5 << 20, 1 << 20, 3000, 2 << 20, 300_000, 1 << 20}
	told := false
	conversation{ranks: 2, devices: 3, form: "auto", sizes: sizes, at: func(k *talk) {
		if told || !k.ready || len(k.out) == 0 {
			return
		}
		told = true
		for device := range 3 {
			k.net.Tell(1, device, suci.Answers)
		}
		p, set := k.net.Peer(1), k.net.Devices()
		before := set.Uses()[1].Failures
		k.net.Tell(1, 1, suci.Silent)
		if p.State(1) != devices.Doubted {
			t.Error("a silent path is not doubted while others are up")
		}
		k.net.Tell(1, 1, suci.Answers)
		if p.State(1) != devices.Up || set.Uses()[1].Failures != before {
			t.Error("a path that answers again is not up, or has failed")
		}
		k.net.Tell(1, 1, suci.Silent)
		later := time.Now().Add(time.Second)
		set.TendPaths(later)
		if p.State(1) != devices.Down || set.Uses()[1].Failures != before+1 {
			t.Error("a path that stays silent is not taken down")
		}
		set.TendPaths(later.Add(time.Second))
		if p.State(1) != devices.Probing {
			t.Error("a path that is down is not probed")
		}
		k.net.Tell(1, 1, suci.Silent)
		if p.State(1) != devices.Down || set.Uses()[1].Failures != before+1 {
			t.Error("a path that is probed in vain is not left alone until it is probed again")
		}
		k.net.Tell(1, 2, suci.Down)
		if p.State(2) != devices.Probing || set.Uses()[2].Failures != 1 {
			t.Error("a path whose session was ended is not probed at once")
		}
	}}.run(t)
	require.True(t, told)
}

// TestSleepEndsToTryAPathAgain: a path that is down is tried again, though nobody wakes the rank.
func TestSleepEndsToTryAPathAgain(t *testing.T) {
	root := newRootOf(t, 2, 2, 3, "auto")
	m := open(t, root, mem.New(root, mem.Options{}), 0).net
	m.Devices().TakeDown(m.Peer(1), 1)
	inbox := root.Inbox(0)
	begin := time.Now()
	_, err := m.Park(inbox, inbox.Count(), 0)
	require.NoError(t, err)
	require.Less(t, time.Since(begin), 30*time.Second, "not the minute of other sleeps")
}
