package recorder

import "github.com/gopvas/gopvas/trace"

// Short messages. To read the clock takes a tenth of a short message's way. What stands between
// the arrival of a message and the next send keeps that send back. So both are recorded with one
// reading in all, and that is taken while a message is on its way:
//
//   - The end of a short send is read when the message has left. Its start is the end minus what
//     such a send takes. A longer one may make a zero-copy attempt (btl.Messages), and takes
//     one of two times: its start is read, too.
//   - A receive that polls reads the clock before it polls. Its end is the last reading plus what
//     it takes from there to the end of such a receive.
//
// What is typical of a length is learnt from one message of many, for which the clock is read at both
// ends. It is no longer read when two in a row took about as long. The events whose times are not read
// are flagged as Estimated.

const (
	Inline   = 88      // bytes of the longest send whose start is estimated: mail.InlineLimit
	Short    = 8 << 10 // bytes of the longest receive whose end is
	lengths  = 64      // that are known at a time
	measured = 64      // one of so many messages
)

// typical is what sends or receives take, by their length.
type typical struct {
	count uint32
	known [lengths]usual
}

// usual is what messages of a length take.
type usual struct {
	length, ticks uint64
	steady        bool // the last one that was measured took about as long
}

func (t *typical) usual(length uint64) *usual {
	const spread = 0x9e3779b97f4a7c15 // not even: the upper bits of the product are well mixed
	return &t.known[length*spread>>(64-6)]
}

// of returns what is typical of a length, 0 if the clock is to be read.
func (t *typical) of(length uint64) uint64 {
	t.count++
	if u := t.usual(length); u.steady && u.length == length && t.count%measured != 0 {
		return u.ticks
	}
	return 0
}

// learn brings what is typical nearer to what was measured, but for what was interrupted.
func (t *typical) learn(length, took uint64) {
	u := t.usual(length)
	switch {
	case length > Short:
		return
	case u.length != length || u.ticks == 0 || took < u.ticks/2:
		*u = usual{length: length, ticks: took}
		return
	}
	u.steady = took >= u.ticks-u.ticks/4 && took <= u.ticks+u.ticks/4
	if took < 4*u.ticks {
		u.ticks = (7*u.ticks + took) / 8
	}
}

// BeginShort is Begin of a send of so many bytes that may leave at once; negative: it does not. It returns 0 if the
// start is to be estimated.
func (r *Recorder) BeginShort(length int) uint64 {
	if length >= 0 && length <= Inline && r.sends.of(uint64(length)) != 0 {
		return 0
	}
	return r.Begin()
}

// ShortSend records a send that has left at once. start is that of BeginShort.
func (r *Recorder) ShortSend(start uint64, w *What) {
	end := r.Now()
	if start == 0 {
		start = min(max(end-r.sends.usual(w.Bytes).ticks, r.last), end)
		w.Flags |= trace.Estimated
		if start > r.last+r.long {
			r.sample(start)
		}
	} else if w.Bytes <= Inline {
		r.sends.learn(w.Bytes, end-start)
	}
	w.Site = r.site(shortSend)
	r.call(trace.Send, start, end, w)
}

// BeginWait is Begin of a call that waits for a message. It also returns the place of the call,
// for What: to look for it costs no time while the message is on its way.
func (r *Recorder) BeginWait(k trace.Kind) (start, site uint64) {
	start = r.Begin()
	return start, r.site(k + waits)
}

// Look is called before each look for the message of a blocking receive.
func (r *Recorder) Look() { r.looked = r.Now() }

// Recv records a receive that has found its message at the last Look. start is that of BeginWait.
func (r *Recorder) Recv(start uint64, w *What) {
	end := r.looked
	if took := r.takes.of(w.Bytes); took != 0 {
		end += took
		w.Flags |= trace.Estimated
	} else {
		end = r.Now()
		r.takes.learn(w.Bytes, end-r.looked)
	}
	r.call(trace.Recv, start, end, w)
}
