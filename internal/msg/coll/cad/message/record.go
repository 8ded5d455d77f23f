package message

import (
	"encoding/binary"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/pml"
)

// Records: the messages that tell a receiver what has gone wrong at its sender. A record
// has the fault, its details, and the text of a panic as far as it fits.

const recordBytes = 3*8 + cad.TextSize

// sendRecord sends the failure of the graph. Nobody waits for that: if the receiver has gone
// it is of no use.
func (r *run) sendRecord(to int) {
	f := r.failure
	if r.t.Job.Visits(to) {
		f.Fault = f.Renamed(func(rank int) int { return int(r.t.Job.NameOf(rank)) })
	}
	_ = r.t.Messages.Inside().Post(r.channel.Context, to, tagOf(r.number, recordPort), pml.Mark{}, recordOf(f))
}

// recorded is the failure of a record that has come from a rank.
func (r *run) recorded(b []byte, from int) cad.Failure {
	f := readRecord(b)
	if r.t.Job.Visits(from) {
		f.Fault = f.Renamed(func(name int) int {
			if rank, ok := r.t.Job.Named(uint32(name)); ok {
				return rank
			}
			return from // a rank of a third job, which this one has not met
		})
	}
	return f
}

func recordOf(f cad.Failure) []byte {
	b := make([]byte, recordBytes)
	for i, word := range []uint64{uint64(f.Fault), f.Detail[0], f.Detail[1]} {
		binary.LittleEndian.PutUint64(b[8*i:], word)
	}
	copy(b[3*8:], f.Text)
	return b
}

// receiveRecord receives the record of a message that has arrived.
func (r *run) receiveRecord(n cad.Node, from int) {
	l := inFlight{n: n, record: make([]byte, recordBytes)}
	var err error
	l.request, err = r.t.Messages.Inside().Irecv(r.channel.Context, from, tagOf(r.number, recordPort),
		btl.Buffer{Bytes: l.record})
	r.began(l, err)
}

func readRecord(b []byte) cad.Failure {
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	return cad.Failure{Fault: cad.Fault(word(0)), Detail: [2]uint64{word(1), word(2)}, Text: cad.TextOf(b[3*8:])}
}
