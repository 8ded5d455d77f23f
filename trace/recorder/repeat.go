package recorder

import "github.com/gopvas/gopvas/trace"

// Repeated events. A send or receive that is like the last one of its kind is a word in a record of
// trace.Repeats. The record is written where the next one will stand, and counts (next) when it is full
// or anything else is written. So less has to be written, and taken by the supervisor, whose CPU time
// is taken from the ranks where they have all CPUs.

// last is the last send or receive that was written.
type last struct {
	bytes, w2, w3 uint64 // words of the record, without Estimated
	written       bool
}

const estimated = uint64(trace.Estimated) << 16

// repeats writes a send or receive as a repeated one. If it is none, repeats takes note of it.
func (r *Recorder) repeats(k trace.Kind, at, took, bytes, w2, w3 uint64) bool {
	l, like := &r.lasts[k-trace.Send], w3&^estimated
	same := l.written && bytes == l.bytes && w2 == l.w2 && like == l.w3+1<<32
	*l = last{bytes, w2, like, true}
	if !same {
		return false
	}
	since := at - r.opened
	if r.open == 0 {
		since = 0
	}
	word, ok := trace.Repeat(k, trace.Flags(w3>>16), since, took)
	if !ok {
		return false
	}
	if r.open == 0 {
		if r.next == r.limit && !r.reserve(1) {
			r.forget()
			return true
		}
		*r.record() = trace.Record{trace.RepeatHead(at)}
	}
	r.open++
	r.record()[r.open] = word
	if r.opened = at; r.open == trace.Repeats {
		r.shut()
	}
	return true
}

// forget loses an event. The next ones are like none that the reader knows.
func (r *Recorder) forget() {
	r.lose()
	r.lasts = [2]last{}
}

// record is where the next record stands.
func (l *Lane) record() *trace.Record { return &l.records[l.next&l.mask] }

// shut ends a record of repeated events.
func (l *Lane) shut() {
	if l.open > 0 {
		l.open = 0
		l.advance()
	}
}

// advance counts a record.
func (l *Lane) advance() {
	l.next++
	if l.next&(l.mask>>1) == 0 {
		l.half()
	}
}
