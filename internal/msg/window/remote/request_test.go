package remote

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/courier"
	"github.com/gopvas/gopvas/internal/msg/window/regions"
	"github.com/gopvas/gopvas/internal/msg/window/update"
)

const memoryBytes = 1000

// target is a server whose memory has some bytes, and whose program has one operator.
func target() *server {
	return &server{
		find: func(name uint64) func(inout, in []byte) {
			if name == 7 {
				return func(inout, in []byte) {}
			}
			return nil
		},
		memory: Memory{Check: func(offset uintptr, n int) error {
			if uint64(n) > memoryBytes || uint64(offset) > memoryBytes-uint64(n) {
				return regions.ErrRange
			}
			return nil
		}},
	}
}

// pieceOf is a piece as a request has it.
func pieceOf(offset uint64, n uint32) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, offset), n)
}

// requests are some of each kind, with what they bring.
func requests(t require.TestingT) (list []*request) {
	pair, err := datatype.Hindexed([]int64{8, 4}, []int64{0, 8}, datatype.Byte)
	require.NoError(t, err)
	op := update.Op{Code: 1, On: &coll.Op{Size: 16, Name: 7}}
	pieces := append(pieceOf(8, 12), pieceOf(100, 12)...)
	return []*request{
		{what: askPut, pieces: pieces, bytes: 24, in: make([]byte, 24)},
		{what: askGet, pieces: pieces, bytes: 24},
		{what: askUpdate, op: op, e: update.Element{Size: 12, Pair: pair, Span: 16}, pieces: pieces, bytes: 24,
			in: make([]byte, 24), flags: flagResult},
		{what: askUpdate, e: update.Element{Size: 4, Word: true, Signed: true}, pieces: pieceOf(0, 4), bytes: 4,
			in: make([]byte, 4), compare: make([]byte, 4), flags: flagResult},
		{what: askLock, flags: flagAlone},
		{what: askUnlock},
	}
}

func (r *request) block() []byte {
	if r.in == nil {
		return r.encode(nil)
	}
	return r.encode(func(to []byte) { copy(to, r.in) })
}

// What a rank asks is what the target does.
func TestRequests(t *testing.T) {
	for i, q := range requests(t) {
		q.number = uint64(i)
		s := target()
		require.NoError(t, s.request.decode(s.find, q.block()[courier.Head:]))
		got := s.request
		require.NoError(t, s.check(&got))
		require.Equal(t, []any{q.what, q.flags, q.number, q.bytes}, []any{got.what, got.flags, got.number, got.bytes})
		require.Equal(t, [][]byte{append([]byte{}, q.pieces...), q.in, q.compare},
			[][]byte{append([]byte{}, got.pieces...), got.in, got.compare})
		require.Equal(t, []any{q.e.Size, q.e.Word, q.e.Signed, q.e.Span, q.e.Pair != nil},
			[]any{got.e.Size, got.e.Word, got.e.Signed, got.e.Span, got.e.Pair != nil})
	}
}

// A block that is no request is refused. What passes lies in the memory of the target.
func FuzzRequest(f *testing.F) {
	for _, q := range requests(f) {
		f.Add(q.block()[courier.Head:])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := target()
		r := &s.request
		if r.decode(s.find, b) != nil || s.check(r) != nil {
			return
		}
		total := 0
		for left := r.pieces; len(left) > 0; left = left[pieceSize:] {
			offset, n := piece(left)
			require.LessOrEqual(t, uint64(offset)+uint64(n), uint64(memoryBytes))
			total += n
		}
		require.Equal(t, r.bytes, total)
		if r.in != nil {
			require.Len(t, r.in, r.bytes)
		}
	})
}

// Who waits for a lock learns why it gets none: so the program sees the class of the error.
func TestRefusedByARevokedWindow(t *testing.T) {
	const head = answerHead - courier.Head
	b := refusal(1, comm.ErrRevoked)[courier.Head:]
	require.ErrorIs(t, refused(b[1], b[head:]), comm.ErrRevoked)
}
