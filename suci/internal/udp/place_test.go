package udp

import (
	"bytes"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/suci/internal/wire"
)

// foresees takes datagrams with a landing. Those that begin with a number come to the place of
// that number, if it is the next one; all else is kept.
type foresees struct {
	landing  []byte
	piece    int
	next     int
	rows     int
	received [][]byte // by the order of arrival, put together
}

func (f *foresees) Landing() []byte { return f.landing[min(f.next*f.piece, len(f.landing)):] }

func (f *foresees) Row(_, _ time.Duration, b []byte, length int) (taken int) {
	size := wire.DataHeaderSize + f.piece
	for ; length == size && len(b) >= size && b[0] == byte(f.next); b = b[size:] {
		f.received = append(f.received, slices.Clone(b[:size]))
		f.next++
		f.rows++
		taken += size
	}
	return taken
}

func (f *foresees) Train(_, _ time.Duration, _ netip.AddrPort, b []byte, length int) {
	for one := range slices.Chunk(b, length) {
		f.received = append(f.received, slices.Clone(one))
	}
}

// Whatever comes when something else was foreseen arrives whole and in order.
func TestReceiveThere(t *testing.T) {
	rng := testkit.Rand(t)
	a, b, w := open(t), open(t), waker(t)
	rows := 0
	for range 50 {
		const piece = 700
		f := &foresees{landing: make([]byte, 30*piece-rng.IntN(piece)), piece: piece}
		var want [][]byte
		var trains []wire.Train
		for i := range 40 {
			one := make([]byte, wire.DataHeaderSize+piece)
			switch rng.IntN(12) {
			case 0:
				one = one[:1+rng.IntN(len(one)-1)]
			case 1:
				one = append(one, one...)
			}
			for k := range one {
				one[k] = byte(rng.Uint32())
			}
			if one[0] = byte(i); rng.IntN(10) == 0 {
				one[0] = 255
			}
			want = append(want, one)
			trains = couple(trains, b.Local(), one)
		}
		a.Send(trains)
		for len(f.received) < len(want) {
			b.Wait(w, -1)
			_, err := b.Receive(f)
			require.NoError(t, err)
		}
		for i := range want {
			require.True(t, bytes.Equal(want[i], f.received[i]), "datagram %d", i)
		}
		rows += f.rows
	}
	require.NotZero(t, rows, "nothing has come as it was foreseen")
}
