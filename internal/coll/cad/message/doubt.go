package message

import (
	"encoding/binary"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/coll/cad"
	"github.com/gopvas/gopvas/internal/pml"
	"github.com/gopvas/gopvas/internal/sys"
)

// Doubt. A member that has met a mismatch gives its graph up, and others may wait for the rest of it. So it warns all
// members, and those give up their graphs of this number, too, when they have begun them.
//
// Or members in different calls wait for one another, and no message shows it. So a graph that lasts asks the peers
// that it waits for. A peer answers at once, whatever it waits for then: which failure there is between the two graphs
// of this number, if any.
//
// Claim: a failure that is told is true. The peer compares the calls, or its graph is over. If it failed the peer tells
// that failure. If it did not, all its messages are complete there. The answer comes behind them. So a message of the
// asking graph that is not complete then meets nothing. Its end may be noticed later, in the next look: so the graph
// believes the second answer. Its question was asked in a later look, after a pause.
//
// A graph is over if it has begun and is not underway any more. The peer says so only if all graphs that it has issued
// have begun, since it does not know the numbers of the others (cad.Channel.NoteBegun).
//
// Each question has one answer, with a tag of its own. A peer that has begun no graph on the channel answers later.

const (
	firstPause    = int64(100 * time.Millisecond) // then each pause is twice as long as the one before
	longestPause  = int64(10 * time.Second)
	questionBytes = 3 * 8                        // serial, number, call; serial 0: a warning, its record follows
	answerTags    = 1 << (portBits + numberBits) // above those of tagOf
	keptFailures  = 256                          // of a channel
)

// doubt is what a graph that lasts has asked.
type doubt struct {
	next, pause int64 // when it asks again, and the pause after that
	asked       []inquiry
	suspects    []int32 // peers that have told a failure
}

// inquiry is a question that has no answer yet.
type inquiry struct {
	peer    int32
	request pml.Request
	answer  []byte
}

// broken is a graph that is over and has failed.
type broken struct {
	number uint32
	cad.Failure
}

// doubts are what a channel keeps to answer questions.
type doubts struct {
	responds bool
	broken   []broken // the last ones
	oldest   int      // the place of the oldest of them
	receive  pml.Request
	buf      [questionBytes + recordBytes]byte
}

var serials atomic.Uint64 // of the questions of this process

// asks tells whether the graph asks, and whether its channel answers. Graphs with guards tell all members by these.
func (r *run) asks() bool { return !r.alone() && !r.step() && !r.t.Check }

// Lasts implements pml.Patient.
func (r *run) Lasts() {
	if !r.begun || r.done || !r.asks() {
		return
	}
	d, now := r.doubt, sys.Monotonic()
	if d == nil {
		r.doubt = &doubt{next: now + firstPause, pause: firstPause}
		return
	}
	if now < d.next {
		return
	}
	d.pause = min(2*d.pause, longestPause)
	d.next = now + d.pause
	for i := range r.active {
		peer := r.actions[r.active[i].n].peer
		if !slices.ContainsFunc(d.asked, func(q inquiry) bool { return q.peer == peer }) {
			r.ask(peer)
		}
	}
}

func (r *run) ask(peer int32) {
	in, serial := r.t.Messages.Inside(), serials.Add(1)
	q := inquiry{peer: peer, answer: make([]byte, recordBytes)}
	var err error
	q.request, err = in.Irecv(r.channel.Context, int(peer), answerTag(serial), btl.Buffer{Bytes: q.answer})
	if err != nil {
		return // its messages find that, too
	}
	r.doubt.asked = append(r.doubt.asked, q)
	_ = in.Post(r.channel.Context, int(peer), pml.AskTag, pml.Mark{}, r.question(serial))
}

func (r *run) question(serial uint64) (b []byte) {
	for _, w := range []uint64{serial, uint64(r.number), r.call} {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// warn tells all members that calls of this number differ.
func (r *run) warn(f cad.Failure) {
	c := r.channel
	for distance := 1; distance < c.Size && r.asks(); distance++ {
		to := c.RankOf((c.Rank + distance) % c.Size)
		_ = r.t.Messages.Inside().Post(c.Context, to, pml.AskTag, pml.Mark{},
			append(r.question(0), recordOf(r.t.abroad(f, to))...))
	}
}

// abroad is a failure as the rank that it is told to names it.
func (t *Transport) abroad(f cad.Failure, to int) cad.Failure {
	if t.Job.Visits(to) {
		f.Fault = f.Renamed(func(rank int) int { return int(t.Job.NameOf(rank)) })
	}
	return f
}

func answerTag(serial uint64) int { return answerTags | int(serial&(answerTags/2-1)) }

// hear takes the answers that have come.
func (r *run) hear() {
	if r.doubt == nil || r.done {
		return
	}
	d := r.doubt
	d.asked = slices.DeleteFunc(d.asked, func(q inquiry) bool {
		_, _, done, err := r.t.Messages.Inside().Take(&q.request)
		if !done {
			return false
		}
		if f := r.t.recorded(q.answer, int(q.peer)); err == nil && !r.done {
			r.hearFrom(q.peer, f)
		}
		return true
	})
}

func (r *run) hearFrom(peer int32, f cad.Failure) {
	waits := slices.ContainsFunc(r.active, func(l inFlight) bool { return r.actions[l.n].peer == peer })
	if f.Fault == 0 || !waits {
		return
	}
	d := r.doubt
	if !slices.Contains(d.suspects, peer) {
		d.suspects = append(d.suspects, peer)
		return
	}
	if r.note(f); !r.done {
		r.giveUp()
	}
}

// forget ends the doubt of a graph that is over. Answers may still come.
func (r *run) forget() {
	if r.doubt != nil {
		for i := range r.doubt.asked {
			r.t.Messages.Inside().Leave(&r.doubt.asked[i].request)
		}
		r.doubt = nil
	}
}

// respond has the channel answer questions from its first graph on.
func (r *run) respond() {
	d := &r.state.doubts
	if d.responds || !r.asks() {
		return
	}
	d.responds = true
	t, c, s := r.t, r.channel, r.state
	answer := func(in pml.Inside) (later bool) { return s.answer(in, t, c) }
	in := t.Messages.Inside()
	in.Respond(c.Context, answer)
	answer(in) // those that came before
}

// keep keeps a failure for those that will ask.
func (d *doubts) keep(number uint32, f cad.Failure) {
	switch {
	case f.Fault == 0:
	case len(d.broken) < keptFailures:
		d.broken = append(d.broken, broken{number, f})
	default:
		d.broken[d.oldest] = broken{number, f}
		d.oldest = (d.oldest + 1) % keptFailures
	}
}

// answer answers the questions that have come.
func (s *State) answer(in pml.Inside, t *Transport, c *cad.Channel) (later bool) {
	d := &s.doubts
	for {
		st, came, later := in.Receive(c.Context, pml.AnySource, pml.AskTag, d.buf[:], &d.receive)
		if !came {
			return later
		}
		word := func(i int) uint64 { return binary.LittleEndian.Uint64(d.buf[8*i:]) }
		number := uint32(word(1))
		if word(0) == 0 {
			s.warned(number, t.recorded(d.buf[questionBytes:], st.Source))
			continue
		}
		f := t.abroad(s.between(t, c, number, st.Source, word(2)), st.Source)
		_ = in.Post(c.Context, st.Source, answerTag(word(0)), pml.Mark{}, recordOf(f))
	}
}

// warned gives the graph of a number up, if it is underway. Else it is kept for the graph, which may begin later.
func (s *State) warned(number uint32, f cad.Failure) {
	for _, r := range s.Flight {
		if r.number == number {
			if !r.done {
				r.failure = f
				r.giveUp()
			}
			return
		}
	}
	s.doubts.keep(number, f)
}

// heed gives up a graph that begins, if another rank has warned of it.
func (r *run) heed() {
	if r.asks() {
		if f := r.state.doubts.of(r.number); f.Fault != 0 {
			r.failure = f
			r.giveUp()
		}
	}
}

// of returns the failure that is kept of a number.
func (d *doubts) of(number uint32) (f cad.Failure) {
	for i := range d.broken {
		if d.broken[i].number == number {
			return d.broken[i].Failure
		}
	}
	return f
}

// between returns what is wrong between this rank's graph of a number and that of another rank, as far as it is known.
func (s *State) between(t *Transport, c *cad.Channel, number uint32, from int, call uint64) cad.Failure {
	for _, r := range s.Flight {
		if r.number == number {
			return cad.Between(t.Rank, r.call, from, call)
		}
	}
	if f := s.doubts.of(number); f.Fault != 0 {
		return f
	}
	if c.AllBegun() && int32(c.Issued()-number) > 0 {
		return cad.AboutTwo(cad.Pairs, t.Rank, from)
	}
	return cad.Failure{}
}
