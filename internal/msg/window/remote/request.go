package remote

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/courier"
	"github.com/gopvas/gopvas/internal/msg/window/lock"
	"github.com/gopvas/gopvas/internal/msg/window/regions"
	"github.com/gopvas/gopvas/internal/msg/window/update"
	"github.com/gopvas/gopvas/mpi/fault"
)

// The blocks that go between ranks of several nodes. All numbers are little-endian. The parts of a request, by where
// they begin:
//
//	 4  what is asked
//	 5  flags
//	 6  the operator
//	 7  bytes of an element
//	 8  the number of the request
//	16  pieces of the target's memory
//	20  bytes of the stream
//	24  the name of the kernel
//	32  its element's bytes
//	36  bytes from the first to the last of a pair
//	40  offset and length of each of its parts
//	48  the pieces, of 12 bytes: offset from the target's base, length
//	    the stream, with flagInput; what is to be compared, with flagCompare
//
// An answer has askAnswer at 4 and what has become of the request at 5. At 8 it has the number, and from 16 on the
// stream or the text of an error.
const (
	requestHead = 48 // the line's own included
	pieceSize   = 8 + 4
	answerHead  = 16
)

const mostOfPair = 32 // bytes with its gaps

// What is asked.
const (
	askAnswer = iota
	askPut
	askGet
	askUpdate
	askLock
	askUnlock
)

// The flags.
const (
	flagAlone   = 1 << iota // of an exclusive lock
	flagWord                // of the element: see update.Element
	flagSigned              // likewise
	flagPair                // likewise
	flagInput               // the stream comes with the request
	flagResult              // what was there is asked for
	flagCompare             // something to be compared comes, too
)

// What becomes of a request.
const (
	wasDone     = iota
	wasOutside  // ErrRange; then a text
	wasLost     // a rank of the job, of 4 bytes, holds a lock
	wasRevoked  // the window
	wasMistaken // another error; then a text
)

// request is one that is being made, or was taken apart.
type request struct {
	what, flags byte
	op          update.Op
	e           update.Element
	number      uint64
	bytes       int // of the stream
	pieces      []byte
	in, compare []byte
}

// encode writes a request. stream writes its bytes.
func (r *request) encode(stream func(to []byte)) []byte {
	size := requestHead + len(r.pieces) + len(r.compare)
	if stream != nil {
		r.flags |= flagInput
		size += r.bytes
	}
	b := make([]byte, size)
	b[4], b[6], b[7] = r.what, byte(r.op.Code), byte(r.e.Size)
	binary.LittleEndian.PutUint64(b[8:], r.number)
	binary.LittleEndian.PutUint32(b[16:], uint32(len(r.pieces)/pieceSize))
	binary.LittleEndian.PutUint32(b[20:], uint32(r.bytes))
	if r.op.On != nil {
		binary.LittleEndian.PutUint64(b[24:], r.op.On.Name)
		binary.LittleEndian.PutUint32(b[32:], uint32(r.op.On.Size))
	}
	r.encodeElement(b)
	if r.compare != nil {
		r.flags |= flagCompare
	}
	b[5] = r.flags
	at := requestHead + copy(b[requestHead:], r.pieces)
	if stream != nil {
		stream(b[at:][:r.bytes])
		at += r.bytes
	}
	copy(b[at:], r.compare)
	return b
}

func (r *request) encodeElement(b []byte) {
	if r.e.Word {
		r.flags |= flagWord
	}
	if r.e.Signed {
		r.flags |= flagSigned
	}
	if r.e.Pair == nil {
		return
	}
	r.flags |= flagPair
	binary.LittleEndian.PutUint32(b[36:], uint32(r.e.Span))
	var parts [2]datatype.Segment
	one, _ := r.e.Pair.Times(1)
	n, _ := datatype.Segments(parts[:], &one, 0, 0)
	for i, part := range parts[:n] {
		binary.LittleEndian.PutUint16(b[40+4*i:], uint16(part.Addr))
		binary.LittleEndian.PutUint16(b[42+4*i:], uint16(part.Len))
	}
}

var errDamaged = errors.New("a request from another node is damaged")

// operators finds the kernel of an operator by its name; nil: the program has none.
type operators func(name uint64) func(inout, in []byte)

// decode takes a request apart, without the head that was the line's.
func (r *request) decode(find operators, b []byte) error {
	if len(b) < requestHead-courier.Head {
		return errDamaged
	}
	word := func(at int) int { return int(binary.LittleEndian.Uint32(b[at-courier.Head:])) }
	r.what, r.flags = b[0], b[1]
	r.number = binary.LittleEndian.Uint64(b[8-courier.Head:])
	r.bytes = word(20)
	r.e = update.Element{Size: int(b[3]), Word: r.flags&flagWord != 0, Signed: r.flags&flagSigned != 0, Span: word(36)}
	r.op = update.Op{Code: update.Code(b[2])}
	if name := binary.LittleEndian.Uint64(b[24-courier.Head:]); name != 0 {
		apply := find(name)
		if apply == nil {
			return errors.New("the program of the target does not have the operator")
		}
		r.op.On = &coll.Op{Size: word(32), Apply: apply, Name: name}
	}
	if r.flags&flagPair != 0 {
		if err := r.decodePair(b); err != nil {
			return err
		}
	}
	count, rest := word(16), b[requestHead-courier.Head:]
	want := count * pieceSize
	if r.flags&flagInput != 0 {
		want += r.bytes
	}
	if r.flags&flagCompare != 0 {
		want += r.e.Size
	}
	if want != len(rest) || r.bytes > mostBytes {
		return errDamaged
	}
	r.pieces, rest = rest[:count*pieceSize], rest[count*pieceSize:]
	r.in, r.compare = nil, nil
	if r.flags&flagInput != 0 {
		r.in, rest = rest[:r.bytes], rest[r.bytes:]
	}
	if r.flags&flagCompare != 0 {
		r.compare = rest
	}
	return nil
}

func (r *request) decodePair(b []byte) error {
	var lengths, places []int64
	for i := range 2 {
		at := b[40-courier.Head+4*i:]
		if n := binary.LittleEndian.Uint16(at[2:]); n > 0 {
			lengths, places = append(lengths, int64(n)), append(places, int64(binary.LittleEndian.Uint16(at)))
		}
	}
	t, err := datatype.Hindexed(lengths, places, datatype.Byte)
	if err != nil {
		return err
	}
	_, span := t.TrueExtent()
	if r.e.Pair = t; r.op.On != nil && (int(span) > r.op.On.Size || r.op.On.Size > mostOfPair) {
		return errDamaged
	}
	return nil
}

// answer is the block of an answer, with room for so many bytes.
func answer(number uint64, became byte, bytes int) []byte {
	b := make([]byte, answerHead+bytes)
	b[4], b[5] = askAnswer, became
	binary.LittleEndian.PutUint64(b[8:], number)
	return b
}

// refusal is the answer that an error becomes.
func refusal(number uint64, err error) []byte {
	if lost, ok := errors.AsType[*fault.LostError](err); ok {
		return binary.LittleEndian.AppendUint32(answer(number, wasLost, 0), uint32(lost.Rank))
	}
	if errors.Is(err, comm.ErrRevoked) {
		return answer(number, wasRevoked, 0)
	}
	kind, text := byte(wasMistaken), err.Error()
	if errors.Is(err, regions.ErrRange) {
		kind, text = wasOutside, strings.TrimPrefix(text, regions.ErrRange.Error()+": ")
	}
	return append(answer(number, kind, 0), text...)
}

// refused is the error of an answer.
func refused(became byte, rest []byte) error {
	switch {
	case became == wasLost && len(rest) == 4:
		return lock.Lost(int(binary.LittleEndian.Uint32(rest)))
	case became == wasRevoked:
		return comm.ErrRevoked
	case became == wasOutside:
		return fmt.Errorf("%w: %s", regions.ErrRange, rest)
	}
	return fmt.Errorf("at the target: %s", rest)
}
