package board

import (
	"encoding/binary"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// A member that has failed before a call by slots, or is refused it, gives its failure in place of bytes, with the
// signature of a refused call. So the failure goes where the bytes would have gone.

const failureBytes = 3*8 + cad.TextSize

// failureSize is how much of a failure a member can give, less its text for some.
func (c *capacity) failureSize() int { return min(failureBytes, c.pieceBytes) }

// GiveFailure is Lend and Give. It returns false if the call has failed otherwise.
func (b *Board) GiveFailure(f *cad.Failure, sig uint64, readers []int32) bool {
	data := b.Lend(b.failureSize(), readers)
	if data == nil {
		return false
	}
	for i, w := range []uint64{uint64(f.Fault), f.Detail[0], f.Detail[1]} {
		binary.LittleEndian.PutUint64(data[8*i:], w)
	}
	text := data[3*8:]
	clear(text[copy(text, f.Text):])
	b.Give(cad.RefusedCall(cad.Operation(sig)))
	return true
}

// Taken returns what a member has given that this one has taken from, if it was a failure.
func (b *Board) Taken(sig uint64) (f cad.Failure) {
	if !cad.IsRefused(sig) {
		return f
	}
	data := b.taken.data[:]
	if n := b.failureSize(); n > ShortSlot {
		data = b.piece(b.source)[:n]
	}
	f.Fault = cad.Fault(binary.LittleEndian.Uint64(data))
	for i := range f.Detail {
		f.Detail[i] = binary.LittleEndian.Uint64(data[8+8*i:])
	}
	text := data[3*8:]
	for len(text) > 0 && text[len(text)-1] == 0 {
		text = text[:len(text)-1]
	}
	f.Text = string(text)
	return f
}
