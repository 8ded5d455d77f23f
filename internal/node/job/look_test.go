package job

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLook(t *testing.T) {
	memory, err := Create(Config{Ranks: 2, BTL: BTLSM, CPUs: 1})
	require.NoError(t, err)
	defer func() { require.NoError(t, memory.Close()) }()
	r := memory.Root()
	require.Zero(t, r.Asked())
	before := r.Inbox(1).Count()
	r.Look(7, []int{1})
	require.EqualValues(t, 7, r.Asked())
	require.NotEqual(t, before, r.Inbox(1).Count(), "it is woken")
	require.Zero(t, r.Answered(1))
	a := Answer{Look: 7, Moves: 1 << 31}
	r.Answer(1, a)
	require.Equal(t, a, r.Answered(1))
	require.Equal(t, a, r.Snapshot()[1].Answer)
	there, err := Create(Config{Ranks: 2, BTL: BTLSM, CPUs: 1})
	require.NoError(t, err)
	defer func() { require.NoError(t, there.Close()) }()
	there.Root().Restore(r.Record(1, 0), 0)
	require.Equal(t, a, there.Root().Answered(1))
}

// answer is a view of a rank that waits and has answered a look.
func answer(look, moves uint32, v View) View {
	v.Answer = Answer{Look: look, Moves: moves}
	return v
}

func TestProve(t *testing.T) {
	busy, gone, final := View{State: StateInit}, View{State: StateFinal, Gone: true}, View{State: StateFinal}
	other := waits(false, 0)
	other.Waiting.Others = true
	inCall := func(context uint32, rank int) View {
		v := waits(false, rank)
		v.Waiting.Op, v.Waiting.Others, v.Waiting.Threads = OpCollective, true, true
		v.Waiting.Collective.Agreed = Agree(context, 3, 1)
		return v
	}
	ending := inCall(9, 0)
	ending.Waiting.Collective.Name = Ending
	begun := func(number uint64, ranks ...int) View {
		v := waits(false)
		v.Waiting = Waiting{Op: OpCollective, Others: true, Threads: true, Context: 7,
			Collective: Collective{Call: 1, Number: number, Need: NeedAllIssue}}
		for _, r := range ranks {
			v.Waiting.Collective.Miss(r)
		}
		return v
	}
	left, leaves := inCall(7, 1), inCall(7, 1)
	left.freed = []int{1}
	limited := inCall(7, 0)
	limited.Waiting.Threads = false
	visitor := waits(false, 255)
	visitor.Visitors = []string{"rank 255 is rank 0 of another job"}
	far := waits(false, 0)
	far.Far.UnderWay = 1
	some := View{State: StateInit, Waits: true,
		Waiting: Waiting{Op: OpCollective, Collective: Collective{Need: NeedSome}}}
	for name, c := range map[string]struct {
		before, now []View
		ranks       []int
		all         bool
	}{
		"all wait for one another": {[]View{answer(4, 1, waits(false, 1)), answer(4, 9, waits(false, 0))},
			[]View{answer(5, 1, waits(false, 1)), answer(5, 9, waits(false, 0))}, []int{0, 1}, true},
		"one has moved": {[]View{answer(4, 1, waits(false, 1)), answer(4, 9, waits(false, 0))},
			[]View{answer(5, 1, waits(false, 1)), answer(5, 8, waits(false, 0))}, nil, false},
		"one has not answered": {[]View{answer(4, 1, waits(false, 1)), answer(4, 9, waits(false, 0))},
			[]View{answer(5, 1, waits(false, 1)), answer(4, 9, waits(false, 0))}, nil, false},
		"nor at the first look": {[]View{answer(4, 1, waits(false, 1)), answer(3, 9, waits(false, 0))},
			[]View{answer(5, 1, waits(false, 1)), answer(5, 9, waits(false, 0))}, nil, false},
		"one runs": {[]View{answer(4, 1, waits(false, 1)), busy},
			[]View{answer(5, 1, waits(false, 1)), busy}, nil, false},
		"a circle beside one": {[]View{answer(4, 1, waits(false, 1)), answer(4, 2, waits(false, 0)), busy},
			[]View{answer(5, 1, waits(false, 1)), answer(5, 2, waits(false, 0)), busy}, []int{0, 1}, false},
		"a circle beside ranks that were added": {[]View{answer(4, 1, waits(false, 1)), answer(4, 2, waits(false, 0))},
			[]View{answer(5, 1, waits(false, 1)), answer(5, 2, waits(false, 0)), busy, gone}, []int{0, 1}, false},
		"one of them waits for one that was added": {[]View{answer(4, 1, waits(false, 0))},
			[]View{answer(5, 1, waits(false, 1)), answer(5, 1, waits(false, 0))}, nil, false},
		"whatever they wait for": {[]View{answer(4, 1, some), answer(4, 2, some)},
			[]View{answer(5, 1, some), answer(5, 2, some)}, []int{0, 1}, true},
		"but not beside one": {[]View{answer(4, 1, some), answer(4, 2, some), busy},
			[]View{answer(5, 1, some), answer(5, 2, some), busy}, nil, false},
		"the others have ended": {[]View{answer(4, 1, some), gone},
			[]View{answer(5, 1, some), gone}, []int{0}, true},
		"one has just ended": {[]View{answer(4, 1, some), busy}, []View{answer(5, 1, some), gone}, nil, false},
		"one is between sessions": {[]View{answer(4, 1, some), final},
			[]View{answer(5, 1, some), final}, nil, false},
		"one has other goroutines": {[]View{answer(4, 1, waits(false, 1)), answer(4, 9, other)},
			[]View{answer(5, 1, waits(false, 1)), answer(5, 9, other)}, nil, false},
		"one of them is in Finalize": {[]View{answer(4, 1, inCall(7, 1)), answer(4, 9, ending)},
			[]View{answer(5, 1, inCall(7, 1)), answer(5, 9, ending)}, []int{0, 1}, false},
		"all have, and wait in calls of one communicator": {
			[]View{answer(4, 1, inCall(7, 1)), answer(4, 9, inCall(7, 0))},
			[]View{answer(5, 1, inCall(7, 1)), answer(5, 9, inCall(7, 0))}, []int{0, 1}, false},
		"two have, beside one that runs": {[]View{answer(4, 1, inCall(7, 1)), answer(4, 9, inCall(7, 0)), busy},
			[]View{answer(5, 1, inCall(7, 1)), answer(5, 9, inCall(7, 0)), busy}, []int{0, 1}, false},
		"one of them waits for one that runs": {
			[]View{answer(4, 1, inCall(7, 1)), answer(4, 9, inCall(7, 2)), busy},
			[]View{answer(5, 1, inCall(7, 1)), answer(5, 9, inCall(7, 2)), busy}, nil, false},
		"calls of two communicators": {[]View{answer(4, 1, inCall(7, 1)), answer(4, 9, inCall(8, 0))},
			[]View{answer(5, 1, inCall(7, 1)), answer(5, 9, inCall(8, 0))}, nil, false},
		"one has begun another operation": {[]View{answer(4, 1, begun(3, 1)), answer(4, 9, begun(4, 0))},
			[]View{answer(5, 1, begun(3, 1)), answer(5, 9, begun(4, 0))}, nil, false},
		"all have begun it": {[]View{answer(4, 1, begun(3, 1)), answer(4, 9, begun(3, 0)), busy},
			[]View{answer(5, 1, begun(3, 1)), answer(5, 9, begun(3, 0)), busy}, []int{0, 1}, false},
		"all have begun it, and one waits for none": {[]View{answer(4, 1, begun(3, 1)), answer(4, 9, begun(3))},
			[]View{answer(5, 1, begun(3, 1)), answer(5, 9, begun(3))}, nil, false},
		"some have begun it": {[]View{answer(4, 1, begun(3, 1, 2)), answer(4, 9, begun(3, 0)), busy},
			[]View{answer(5, 1, begun(3, 1, 2)), answer(5, 9, begun(3, 0)), busy}, nil, false},
		"one has begun it, and one is in a call that blocks": {
			[]View{answer(4, 1, begun(3, 1)), answer(4, 9, inCall(7, 0))},
			[]View{answer(5, 1, begun(3, 1)), answer(5, 9, inCall(7, 0))}, nil, false},
		"one waits for one that has freed the communicator": {
			[]View{answer(4, 1, left), busy}, []View{answer(5, 1, left), busy}, []int{0}, false},
		"one waits for one that frees it": {
			[]View{answer(4, 1, leaves), busy}, []View{answer(5, 1, left), busy}, nil, false},
		"one has a limit of time": {[]View{answer(4, 1, inCall(7, 1)), answer(4, 9, limited)},
			[]View{answer(5, 1, inCall(7, 1)), answer(5, 9, limited)}, nil, false},
		"one waits for another job": {[]View{answer(4, 1, waits(false, 1)), answer(4, 9, visitor)},
			[]View{answer(5, 1, waits(false, 1)), answer(5, 9, visitor)}, nil, false},
		"something is under way": {[]View{answer(4, 1, waits(false, 1)), answer(4, 9, far)},
			[]View{answer(5, 1, waits(false, 1)), answer(5, 9, far)}, nil, false},
		"all have ended": {[]View{gone, gone}, []View{gone, gone}, nil, false},
		"the first look of all jobs": {[]View{waits(false, 1), waits(false, 0)},
			[]View{answer(1, 0, waits(false, 1)), answer(1, 0, waits(false, 0))}, []int{0, 1}, true},
	} {
		t.Run(name, func(t *testing.T) {
			look := uint32(5)
			if c.now[0].Answer.Look == 1 {
				look = 1
			}
			p := Prove(c.before, c.now, look)
			require.Equal(t, c.ranks, p.Ranks)
			require.Equal(t, c.all, p.All)
			if len(p.Ranks) > 0 {
				require.True(t, Plausible(c.now, look))
			}
		})
	}
}
