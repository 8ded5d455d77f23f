package udp

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/suci/internal/wire"
)

func open(t *testing.T) *Socket {
	s, err := Open(netip.MustParseAddrPort("127.0.0.1:0"), 1<<20, time.Now())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func waker(t *testing.T) *Waker {
	w, err := NewWaker()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return w
}

// each takes what comes, and foresees nothing.
type each func(now, arrived time.Duration, from netip.AddrPort, b []byte, length int)

func (f each) Train(now, arrived time.Duration, from netip.AddrPort, b []byte, length int) {
	f(now, arrived, from, b, length)
}
func (f each) Landing() []byte                                     { return nil }
func (f each) Row(_, _ time.Duration, _ []byte, _ int) (taken int) { return 0 }

// Wait waits for one socket.
func (s *Socket) Wait(w *Waker, d time.Duration) { Wait([]*Socket{s}, w, d, false) }

// couple appends a datagram to the last train, or begins another one.
func couple(trains []wire.Train, to netip.AddrPort, data []byte) []wire.Train {
	if i := len(trains) - 1; i >= 0 && trains[i].Takes(to, len(data)) {
		copy(trains[i].Bytes[len(trains[i].Bytes):cap(trains[i].Bytes)], data)
		trains[i].Extend(len(data))
		return trains
	}
	return append(trains, wire.Train{To: to, Length: len(data), Bytes: append(make([]byte, 0, 1<<16), data...)})
}

// Datagrams of all lengths, to two sockets, arrive whole and in order, with and without
// UDP_SEGMENT.
func TestSendReceive(t *testing.T) {
	for _, whole := range []bool{false, true} {
		a, b, c, w := open(t), open(t), open(t), waker(t)
		a.whole = whole
		var out []wire.Train
		want := map[*Socket][]string{}
		for i := range 200 {
			to := b
			if i/50%2 == 1 {
				to = c
			}
			data := append(fmt.Appendf(nil, "%04d", i), make([]byte, []int{700, 700, 700, 3}[i/7%4])...)
			out = couple(out, to.Local(), data)
			want[to] = append(want[to], string(data))
		}
		a.Send(out)
		require.Zero(t, a.Dropped)
		for to, datagrams := range want {
			var got []string
			for len(got) < len(datagrams) {
				to.Wait(w, -1)
				_, err := to.Receive(each(func(now, arrived time.Duration, from netip.AddrPort, b []byte, length int) {
					require.Equal(t, a.Local(), from)
					require.LessOrEqual(t, arrived, now)
					for one := range slices.Chunk(b, length) {
						got = append(got, string(one))
					}
				}))
				require.NoError(t, err)
			}
			require.Equal(t, datagrams, got)
		}
		if !whole {
			require.Less(t, a.Sends, uint64(5))
		}
	}
}

// What cannot be delivered to one address does not keep back what is for others.
func TestSendGoesOnAfterAnError(t *testing.T) {
	a, b := open(t), open(t)
	nowhere := netip.MustParseAddrPort("[2001:db8::1]:9") // of another family than the socket
	a.Send([]wire.Train{{To: nowhere, Length: 1, Bytes: []byte("x")}, {To: b.Local(), Length: 1, Bytes: []byte("y")}})
	require.Equal(t, uint64(1), a.Dropped)
	b.Wait(waker(t), -1)
	n, err := b.Receive(each(func(_, _ time.Duration, _ netip.AddrPort, data []byte, _ int) {
		require.Equal(t, "y", string(data))
	}))
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

func TestWake(t *testing.T) {
	a, w, other := open(t), waker(t), waker(t)
	w.Wake()
	a.Wait(w, -1)
	done := make(chan struct{})
	go func() { a.Wait(w, -1); close(done) }()
	other.Wake()
	a.Wait(other, -1)
	w.Wake()
	<-done
}

func TestWaitForSeveral(t *testing.T) {
	a, b, c, w := open(t), open(t), open(t), waker(t)
	sockets := []*Socket{a, b, c}
	for _, quietly := range []bool{false, true} {
		ready, _ := Wait(sockets, w, 0, quietly)
		require.Zero(t, ready)
		w.Wake()
		a.Send([]wire.Train{{To: c.Local(), Length: 1, Bytes: []byte("x")}})
		for range 2 { // the first one may see the waker alone, and takes its signal
			ready, _ = Wait(sockets, w, 10*time.Second, quietly)
		}
		require.Equal(t, uint64(4), ready)
		w.Wake()
		ready, _ = Wait(sockets[:2], w, 10*time.Second, quietly)
		require.Zero(t, ready)
		_, err := c.Receive(each(func(_, _ time.Duration, _ netip.AddrPort, _ []byte, _ int) {}))
		require.NoError(t, err)
	}
}

func TestNothingIsAllocatedPerDatagram(t *testing.T) {
	a, b, w := open(t), open(t), waker(t)
	const length = 1032
	out := []wire.Train{{To: b.Local(), Length: length, Bytes: make([]byte, wire.MostCars*length)}}
	got := 0
	var count Taker = each(func(_, _ time.Duration, _ netip.AddrPort, b []byte, length int) { got += len(b) / length })
	require.Zero(t, testing.AllocsPerRun(100, func() {
		a.Send(out)
		for got = 0; got < wire.MostCars; {
			b.Wait(w, -1)
			_, _ = b.Receive(count)
		}
	}))
}

func TestOpenRefusesAForeignAddress(t *testing.T) {
	_, err := Open(netip.MustParseAddrPort("192.0.2.1:0"), 1<<20, time.Now())
	require.ErrorContains(t, err, "192.0.2.1")
}
