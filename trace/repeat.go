package trace

import "encoding/binary"

// Most sends and receives of a program are like the ones before, but for the time and the number of the
// message, which is one more. So three of them fit a record.

// Repeats is how many events a record of repeated ones has.
const Repeats = 3

// The bits of a repeated event.
const (
	repeatHere      = 1 << 0
	repeatRecv      = 1 << 1
	repeatEstimated = 1 << 2
	repeatSince     = 3 // ticks since the start of the one before; of the first, since that of the record
	repeatTook      = 34
)

// RepeatHead returns the first word of a record of repeated events.
func RepeatHead(ticks uint64) uint64 { return ticks<<8 | uint64(repeated) }

// Repeat returns the word of a Send or Recv that is like the last one of its kind. ok is false if its
// times do not fit.
func Repeat(k Kind, f Flags, since, took uint64) (word uint64, ok bool) {
	if since>>(repeatTook-repeatSince) != 0 || took>>(64-repeatTook) != 0 {
		return 0, false
	}
	word = repeatHere | since<<repeatSince | took<<repeatTook
	if k == Recv {
		word |= repeatRecv
	}
	if f&Estimated != 0 {
		word |= repeatEstimated
	}
	return word, true
}

// repeat adds the events of a record of repeated ones.
func (d *decoder) repeat(b []byte) {
	at := binary.LittleEndian.Uint64(b) >> 8
	for b = b[8:]; len(b) > 0; b = b[8:] {
		word := binary.LittleEndian.Uint64(b)
		like := &d.lasts[word&repeatRecv/repeatRecv]
		if word&repeatHere == 0 || like.Kind == None {
			return
		}
		at += word << (64 - repeatTook) >> (64 - repeatTook + repeatSince)
		like.Start, like.End = int64(at), int64(at+word>>repeatTook)
		like.Message++
		like.Flags &^= Estimated
		if word&repeatEstimated != 0 {
			like.Flags |= Estimated
		}
		*d.events = append(*d.events, *like)
	}
}
