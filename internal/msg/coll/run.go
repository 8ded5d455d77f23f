package coll

import (
	"fmt"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll/board"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/cad/message"
	"github.com/gopvas/gopvas/internal/msg/coll/order"
	"github.com/gopvas/gopvas/internal/msg/numa"
	"github.com/gopvas/gopvas/internal/msg/pml"
)

// state is what a team keeps between and during calls.
type state struct {
	args    Args        // the call; keeps its buffers reachable and on the heap
	call    uint64      // its signature
	size    int         // Args.size; irregular: 0
	failure cad.Failure // the first thing that went wrong in the call
	broken  error       // likewise, of the layers below
	scratch
	combining
	conveys   bool          // the call that is underway goes by the tree
	shared    Buffer        // counts of the last vector of which each member has had a share
	elements  int           // its length
	kept      []byte        // what this one has given, where the result comes to lie
	requests  []pml.Request // of an exchange among neighbours
	members   []btl.Member  // likewise
	last      string        // algorithm of the last call
	slot      int           // of it, in the job's counts of calls
	uncounted bool          // the call that is underway is to be counted
	chosen    [kinds]choice // of the last call of each kind

	transport message.Transport // of messages
	channel   cad.Channel
	blocking  graphCache // of calls by messages

	levels *levels // nil: the members are on one node, or each on one of its own
	whole  *Team   // whose calls have steps in this team; nil: the program calls

	turn   uint64 // number of the call
	called string // name of the call that is underway; "": none is
	known  bool   // to the engine, for the hang report
	erred  bool   // a call has failed

	board  *board.Board // nil: the members share no memory
	leaked []leak
	refs   [2][]btl.Ref // to the parts of the call, for others to read
	near   *numa.Memory // where results of a board's calls lie
}

// Run does one collective operation. It blocks until this member's part is done, and does
// not change a. The error is, or wraps, a *LostError, *MismatchError, *OperatorError,
// *RankError, *BufferError or pml.ErrFinalized. After a *LostError the other members may
// still be writing to the buffer that was to be received into.
func (t *Team) Run(a *Args) error {
	start := t.Engine.Calls().Begin()
	t.connect()
	err := t.accept(a)
	accepted := err == nil
	if accepted {
		t.begin(a.Kind.String())
		a.before()
		if l := t.decide(); l != nil {
			unpack := t.stage(l)
			t.execute(l)
			if unpack != nil && t.broken == nil && t.failure.Fault == 0 {
				unpack()
			}
		}
		t.count()
		t.forget()
		t.end()
		err = t.verdict()
	}
	if t.Engine.Calls().Recorded() && accepted {
		t.recordCall(a, start, err)
	}
	if err != nil {
		t.erred = true
		return fmt.Errorf("coll: %v: %w", a.Kind, err)
	}
	a.after()
	return nil
}

// Calls returns how many calls this member has made; ok tells whether none has failed. In a correct program all members
// for which ok is true have made the same number.
func (t *Team) Calls() (n uint64, ok bool) { return t.turn, !t.erred }

// accept takes the arguments of a call. A barrier has none but hooks: all else of args stays zero, as between calls. To
// copy and check it took a third of the instructions of a barrier.
func (t *Team) accept(a *Args) error {
	if a.Kind == Barrier && a.Wrong == nil {
		t.args.Kind = Barrier
		return nil
	}
	t.args = *a
	err := t.prepare(&t.args)
	if err != nil {
		t.args = Args{}
		t.refuse(a.Kind, err, nil)
	}
	return err
}

// forget clears the arguments of the call.
func (t *Team) forget() {
	if t.args.Kind == Barrier {
		t.args.Kind = None
		return
	}
	t.args = Args{}
}

// Verify returns the error that a call would be refused with, at any member, and does not make the call. All members
// call Verify. If calls are checked it also compares them, as Run does.
func (t *Team) Verify(a *Args) error {
	t.connect()
	t.args = *a
	defer func() { t.args = Args{} }()
	return verify(t, a.Kind, t.prepare(&t.args), func() uint64 { return t.args.signature(t.args.agreed()) })
}

// verify is Verify for an operation, with what is wrong with it, or its signature.
func verify(t *Team, kind Kind, wrong error, call func() uint64) error {
	name := kind.String()
	t.begin(name)
	defer t.end()
	if wrong != nil {
		g := refusal(t, kind)
		t.transport.NoteRefusal(t.guards(), g, wrong)
		t.checking().Refuse(t.guards(), g, wrong)
		return fmt.Errorf("coll: %s: %w", name, wrong)
	}
	if t.call = uint64(kind) << callKindAt; t.Check {
		t.call = call()
	}
	if t.Size == 1 || t.agree() {
		return nil
	}
	return fmt.Errorf("coll: %s: %w", name, t.broken)
}

// begin begins a call, which the hang report names. It is called after prepare has found no error in the arguments.
func (t *Team) begin(name string) {
	t.failure, t.broken = cad.Failure{}, nil
	t.turn++
	if t.called = name; t.Called != "" {
		t.called = t.Called
	}
	if !t.known {
		t.known = true
		t.Engine.Explain(t.Context, t.explain)
	}
}

// end removes the call from the hang report.
func (t *Team) end() { t.called = "" }

// decide compares the calls of the members, if calls are checked, and chooses the algorithm. It returns nil if the
// calls differ or no bytes move.
func (t *Team) decide() *algorithm {
	t.size = t.args.agreed()
	t.call = t.args.signature(t.size)
	if t.Check && t.Size > 1 && !t.agree() {
		return nil
	}
	l := t.choose()
	t.last, t.slot, t.uncounted = l.name, l.slot, true
	if l.run == nil || !t.board.Made() { // a board is made by messages
		t.count()
	}
	if t.args.empty(t.Size, t.size) {
		return nil
	}
	return l
}

// stage packs buffers with layouts that the algorithm does not take. The call is then done with the packed ones, which
// unpack empties; nil: the algorithm takes them.
func (t *Team) stage(l *algorithm) (unpack func()) {
	if !t.args.typed() || l.takes(&t.args, l.run != nil) {
		return nil
	}
	pack, unpack := t.args.stage(t.receives(&t.args))
	pack()
	return unpack
}

// execute does a call by an algorithm.
func (t *Team) execute(l *algorithm) {
	switch {
	case l.run != nil:
		t.args.separate()
		l.run(t)
	case l.levels != nil:
		t.args.separate()
		l.levels(t, &t.args, t)
	default:
		t.broken = t.byMessages(l)
	}
}

// count counts and remembers the call, once: before its messages, at a board that is made when this member first waits,
// and at the latest at its end. So a call that hangs is counted, and known to members that ask for it. A flat barrier
// takes less time this way than if it is counted before the page is published.
func (t *Team) count() {
	if t.uncounted {
		t.uncounted = false
		t.Job.CountCall(t.world(t.Rank), t.slot)
		if t.Size > 1 && !t.Check {
			t.remember(blocking, t.turn, t.call, t.size, &t.args)
		}
	}
}

// verdict turns what was noted into an error.
func (t *Team) verdict() error {
	if t.broken != nil || t.failure.Fault == 0 {
		return t.broken
	}
	return cad.Reporter{Member: t.member, Describe: t.describe}.Err(t.failure, t.call)
}

// combining is what a team keeps for reductions.
type combining struct {
	order order.Evaluator
	from  [][]byte // what the members have given, also in other calls by the ring or the tree
	into  [][]byte // where results of a scan belong

	asked  bool    // the rest is known: see order.Givers
	before []int32 // members that this one takes from in a scan
	within int
}

// reduce combines vectors of the call in the one order.
func (t *Team) reduce(sum []byte, from [][]byte) {
	defer t.noteOperator(&t.failure)
	t.order.Reduce(t.args.Op, sum, from)
}

// noteOperator is deferred where operators are called. It keeps the first failure: that one has panicked.
func (t *Team) noteOperator(failure *cad.Failure) {
	if v := recover(); v != nil && failure.Fault == 0 {
		*failure = cad.Panicked(v, t.world(t.Rank))
	}
}

// scratch is memory for operators.
type scratch []byte

// temp returns n bytes that last until the next call of temp.
func (s *scratch) temp(n int) []byte {
	if cap(*s) < n {
		*s = make([]byte, n)
	}
	return (*s)[:n]
}

// Last returns the name of the algorithm of the last call; to be read by the
// goroutine that made it.
func (t *Team) Last() string { return t.last }

// Barrier returns when all members have called it.
func (t *Team) Barrier() error { return t.Run(&Args{Kind: Barrier}) }
