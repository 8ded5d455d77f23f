package coll

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// A member whose call was refused asks the others which call it is: see standin.go. A member answers when it has begun
// the call of this number, or a later one. It looks for questions when a call begins, and in all progress, whatever it
// waits for then.
//
// Any goroutine of the rank answers, under the engine's lock, while another goroutine may begin a call. So a mutex
// guards what they share (asking.mu). It is taken inside of the engine's lock. A call like the one before takes no
// lock: it stores its number in made.last, and then looks for questions. The goroutine that answers counts the question
// (unanswered), and then looks for the call. So one of the two sees the other: remember finds a question that comes
// before its call begins, and a question that comes later finds the call. One goroutine begins the calls of a kind. It
// alone writes all else of the history, under the mutex, and hence reads it without the mutex.
//
// A member answers also after it has freed the communicator, until a later team makes calls in the context. That team
// is made when all members have freed this one, and Free waits for the answer: so none asks any more. A question of the
// later team may come while this one still answers. Its tag is another one (Team.Serial), so it waits for that team.
//
// A member remembers its last calls (history). A member that waits for something of the one that asks is in the call.
// All members have forgotten it only if none waits and all are hundreds of calls ahead, each unlike the one before.

// asking is what a team knows of its calls, for itself and for members that ask.
type asking struct {
	team *Team
	owed *Refusal // see Owed

	// issued is the number of the last call that does not block; Team.turn is that of the last one that does.
	issued uint64

	mu         sync.Mutex    // guards the rest; a call like the one before does without
	calls      [2]history    // calls that block, and calls that do not
	responds   bool          // the engine knows answer
	questions  []question    // that have no answer yet
	unanswered atomic.Int32  // how many questions have no answer, or more
	seen       atomic.Uint32 // how many questions had come to this rank when it last looked at all of them

	receive pml.Request // of a question
	buf     [questionBytes]byte
}

const (
	blocking = iota
	nonblocking
)

const (
	questionBytes = 3 * 8
	answerBytes   = 4 * 8 // without the shares
)

// answerTag is the tag of the answers to a question.
func answerTag(serial uint64) int { return edgeTags + 1<<26 + int(serial%(1<<24)) }

// askTag is the tag of questions about calls of the team.
func askTag(t *Team) int { return pml.AskTag + int(t.Serial%pml.AskTags) }

// question is that of a member of the team, by its rank of the job.
type question struct {
	from   int
	serial uint64 // which no other question of the rank has: see answerTag
	kind   uint64 // blocking or nonblocking
	turn   uint64
}

// serials counts the questions of this process.
var serials atomic.Uint64

// remember notes a call that begins, and answers members that have asked. Most calls are like the one before.
func (x *asking) remember(kind int, turn, call uint64, size int, a *Args) {
	if !x.calls[kind].goOn(turn, call, size, a.Op, x.team.Engine.Threads().Alone()) {
		x.note(kind, turn, call, size, a, none)
		return
	}
	if x.asked() {
		x.team.Engine.Within(x.answerAll)
	}
}

// Retract takes back the last call that does not block: there was no room to begin it, so the program makes it again.
func Retract(t *Team) {
	if t.Check || t.Size == 1 {
		return
	}
	t.lock()
	defer t.unlock()
	t.calls[nonblocking].retract(t.issued)
	t.issued--
}

// asked tells whether a question may wait for an answer.
func (x *asking) asked() bool {
	return x.unanswered.Load() != 0 || x.team.Engine.Questions() != x.seen.Load()
}

func (x *asking) answerAll(in pml.Inside) { x.answer(in) }

// rememberEdges is remember for an exchange.
func (x *asking) rememberEdges(kind int, turn uint64, e *Exchange) {
	if !e.Across {
		e = none
	}
	x.note(kind, turn, uint64(neighbors)<<callKindAt, 0, &Args{}, e)
}

// none is an exchange of nothing.
var none = new(Exchange)

func (x *asking) note(kind int, turn, call uint64, size int, a *Args, e *Exchange) {
	t := x.team
	x.lock()
	h := &x.calls[kind]
	if !h.again(turn, call, size, a, e) {
		h.add(turn, call, size, a, e, t.Size)
	}
	first := !x.responds
	x.responds = true
	x.unlock()
	if first || x.asked() {
		t.Engine.Within(func(in pml.Inside) {
			in.Respond(t.Context, x.answer)
			x.answer(in)
		})
	}
}

// lock takes the mutex, unless no other goroutine answers.
func (x *asking) lock() {
	if !x.team.Engine.Threads().Alone() {
		x.mu.Lock()
	}
}

func (x *asking) unlock() {
	if !x.team.Engine.Threads().Alone() {
		x.mu.Unlock()
	}
}

// answer answers the members that have asked about calls which this one has made. It is called under the engine's lock.
func (x *asking) answer(in pml.Inside) (later bool) {
	t := x.team
	x.lock()
	defer x.unlock()
	seen, b := t.Engine.Questions(), x.buf[:]
	st, came, later := in.Receive(t.Context, pml.AnySource, askTag(t), b, &x.receive)
	for came {
		x.unanswered.Add(1)
		x.questions = append(x.questions, question{st.Source, word(b, 0), word(b, 1), word(b, 2)})
		st, came, later = in.Receive(t.Context, pml.AnySource, askTag(t), b, &x.receive)
	}
	if !later {
		x.seen.Store(seen)
	}
	x.questions = slices.DeleteFunc(x.questions, func(q question) bool {
		m, known := x.calls[q.kind].find(q.turn)
		if known {
			_ = in.Post(t.Context, q.from, answerTag(q.serial), pml.Mark{}, m.answer(t.member(q.from)))
		}
		return known
	})
	x.unanswered.Store(int32(len(x.questions)))
	return later
}

func word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }

// answer is the answer to the question of a member.
func (m *made) answer(to int) (b []byte) {
	size, operator := uint64(m.size), uint64(0)
	if m.commutative {
		operator |= commutes
	}
	if m.exact {
		operator |= exact
	}
	if slices.Contains(m.of().out, to) {
		size |= sends
	}
	if slices.Contains(m.of().in, to) {
		size |= receives
	}
	for _, w := range []uint64{m.call, size, uint64(m.element), operator} {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	for _, n := range m.of().shares {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

func readAnswer(b []byte) made {
	of := new(lists)
	for i := answerBytes / 8; i < len(b)/8; i++ {
		of.shares = append(of.shares, int(word(b, i)))
	}
	return made{call: word(b, 0), size: int(word(b, 1)), element: int32(word(b, 2)),
		commutative: word(b, 3)&commutes != 0, exact: word(b, 3)&exact != 0, many: true, lists: of}
}

// inquiry is the task of a question to all other members.
type inquiry struct {
	t       *Team
	of      *Refusal
	serial  uint64
	receive pml.Request
	posted  bool
	buf     []byte
	heard   []bool // by member
	left    int    // members that have not answered
	found   made
	edges   Exchange // of an exchange
}

// inquire asks all other members which call it is that was refused.
func (r *Refusal) inquire() (*inquiry, error) {
	t := r.team
	x := &inquiry{t: t, of: r, serial: serials.Add(1),
		heard: make([]bool, t.Size), left: t.Size - 1}
	var q []byte
	for _, w := range []uint64{x.serial, uint64(r.kind), r.turn} {
		q = binary.LittleEndian.AppendUint64(q, w)
	}
	t.Engine.Within(func(in pml.Inside) {
		for distance := 1; distance < t.Size; distance++ {
			_ = in.Post(t.Context, t.world(t.neighbour(distance)), askTag(t), pml.Mark{}, q)
		}
	})
	return x, t.Engine.Do(x, t.Context)
}

// Start implements pml.Task.
func (x *inquiry) Start() error { return nil }

// Progress implements pml.Task. It ends with the first answer that says which call it is. For an exchange it takes the
// answers of all members.
func (x *inquiry) Progress() (done bool, err error) {
	in := x.t.Engine.Inside()
	for ; x.left > 0 && (x.found.kind() == None || x.found.kind() == neighbors); x.posted = false {
		if !x.posted {
			x.receive, err = x.expect(in)
			if x.posted = true; err != nil {
				return true, err
			}
		}
		st, _, came, err := in.Take(&x.receive)
		if !came || err != nil {
			return err != nil, err
		}
		x.take(x.t.member(st.Source), x.buf[:st.Bytes])
	}
	for ; x.left > 0; x.left-- { // the other answers are received, too: they take room at their senders
		if r, err := x.expect(in); err == nil {
			in.Leave(&r)
		}
	}
	return true, nil
}

// expect receives an answer.
func (x *inquiry) expect(in pml.Inside) (pml.Request, error) {
	x.buf = make([]byte, answerBytes+8*x.t.Size)
	return in.Irecv(x.t.Context, pml.AnySource, answerTag(x.serial), btl.Buffer{Bytes: x.buf})
}

// take takes an answer.
func (x *inquiry) take(member int, answer []byte) {
	x.heard[member] = true
	x.left--
	m := readAnswer(answer)
	kind := m.kind()
	if kind != None {
		x.found = m
	}
	if kind != neighbors {
		return
	}
	if m.size&sends != 0 {
		x.edges.In = append(x.edges.In, Edge{Member: member})
	}
	if m.size&receives != 0 {
		x.edges.Out = append(x.edges.Out, Edge{Member: member})
	}
}

// kind is the operation of a call; None: it was refused, or is not known.
func (m *made) kind() Kind {
	if cad.IsRefused(m.call) {
		return None
	}
	return Kind(cad.Operation(m.call))
}

// Describe implements pml.Task. Any member may answer.
func (x *inquiry) Describe(w *job.Waiting) {
	w.Op = job.OpCollective
	w.Collective = job.Collective{Name: x.of.name, Number: x.of.turn, Need: job.NeedSome}
	if x.t.Name != nil {
		w.Collective.Communicator = x.t.Name()
	}
	for member, heard := range x.heard {
		if !heard && member != x.t.Rank {
			w.Collective.Miss(x.t.world(member))
		}
	}
}

// Release implements pml.Task.
func (*inquiry) Release() {}
