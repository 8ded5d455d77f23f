package job

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inCall is a rank that has begun to wait in a call for others, at a time.
func inCall(need Need, number uint64, since int64, missing ...int) View {
	w := Waiting{Op: OpCollective, Context: 5, Since: since, Seen: since,
		Collective: Collective{Number: number, Need: need}}
	for _, rank := range missing {
		w.Collective.Miss(rank)
	}
	v := View{State: StateInit, Waits: true, Waiting: w, seen: since}
	v.For = w.Collective.Ranks()
	return v
}

// either is a view of a rank for which one of those that it names is enough.
func either(v View) View {
	v.Any = true
	return v
}

func TestCollectiveIsKept(t *testing.T) {
	memory, err := Create(Config{Ranks: 2, BTL: BTLSM, CPUs: 1})
	require.NoError(t, err)
	defer func() { require.NoError(t, memory.Close()) }()
	r := memory.Root()
	w := Waiting{Op: OpCollective, Context: 7, Since: 3, Collective: Collective{
		Name: "allreduce", Communicator: strings.Repeat("long", 40), Number: 1 << 40, Call: 1 << 50, Need: NeedAll,
		Agreed: Agree(7, 1<<40, 1<<60)}}
	for rank := range 100 {
		w.Collective.Miss(rank + MaxRanks - 100)
	}
	r.SetWaiting(1, w)
	got, ok := r.Waiting(1)
	require.True(t, ok)
	w.Collective.Communicator = w.Collective.Communicator[:88]
	require.Equal(t, w, got)
	require.Equal(t, 100, got.Collective.Missing)
	require.Equal(t, MaxRanks-100+namedRanks-1, got.Collective.Ranks()[namedRanks-1])
	r.SetWaiting(1, Waiting{Op: OpRecv, Since: 4})
	got, _ = r.Waiting(1)
	require.Equal(t, Waiting{Op: OpRecv, Since: 4}, got, "nothing is left of it")
}

func TestWhoIsMissing(t *testing.T) {
	busy := View{State: StateInit}
	for name, c := range map[string]struct {
		views         []View
		missing, dead []int
	}{
		"those that have come since are not": {
			[]View{inCall(NeedAll, 3, 1, 1, 2), inCall(NeedAll, 3, 2, 2), busy}, []int{2}, nil},
		"of another call they are": {
			[]View{inCall(NeedAll, 3, 1, 1), inCall(NeedAll, 4, 2, 2), busy}, []int{1}, nil},
		"all wait for one that waits for them": {
			[]View{inCall(NeedAll, 3, 1, 1, 2), inCall(NeedAll, 3, 2, 2), waits(false, 0)}, []int{2}, []int{0, 1, 2}},
		"a message that comes in the same call": {
			[]View{inCall(NeedPeers, 3, 5, 1), inCall(NeedPeers, 3, 6, 2), waits(false, 0)}, []int{1}, []int{0, 1, 2}},
		"one that waits may have begun its part since": {
			[]View{inCall(NeedAllIssue, 3, -1, 1), waits(false, 0)}, []int{1}, nil},
		"one that has been waiting has not": {
			[]View{inCall(NeedIssue, 3, 1, 1), waits(false, 0)}, []int{1}, []int{0, 1}},
		"nothing is known for certain": {
			[]View{inCall(NeedSome, 3, 1, 1), waits(false, 0)}, []int{1}, nil},
		"a graph needs any of its peers": {
			[]View{either(inCall(NeedAny, 3, 5, 1, 2)), waits(false, 0), busy}, []int{1, 2}, nil},
		"and none of them can go on": {
			[]View{either(inCall(NeedAny, 3, 5, 1, 2)), waits(false, 0), waits(false, 1)}, []int{1, 2}, []int{0, 1, 2}},
		"all have come": {
			[]View{inCall(NeedAll, 3, 1, 1), inCall(NeedAll, 3, 2)}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range c.views {
				c.views[i].Rank = i
			}
			meetings(c.views)
			require.Equal(t, c.missing, c.views[0].For)
			ranks, _ := Deadlocked(c.views)
			require.Equal(t, c.dead, ranks)
		})
	}
}

// A rank that has freed a communicator is known to those that wait for it there, until the context is used again.
func TestFreed(t *testing.T) {
	memory, err := Create(Config{Ranks: 3, BTL: BTLSM, CPUs: 1})
	require.NoError(t, err)
	defer func() { require.NoError(t, memory.Close()) }()
	r := memory.Root()
	waiting := func(context uint32) {
		w := Waiting{Op: OpCollective, Collective: Collective{Agreed: Agree(context, 5, 1)}}
		w.Collective.Miss(1)
		w.Collective.Miss(2)
		r.SetWaiting(0, w)
	}
	freed := func() []int { return r.Snapshot()[0].freed }
	waiting(7)
	require.Empty(t, freed())
	NoteFreed(r, 1, 8)
	require.Empty(t, freed())
	NoteFreed(r, 1, 7)
	require.Equal(t, []int{1}, freed())
	ForgetFreed(r, 1, 7)
	require.Empty(t, freed())
	waiting(8)
	require.Equal(t, []int{1}, freed())
	for range len(freedContexts{}) {
		NoteFreed(r, 1, 9)
	}
	require.Empty(t, freed(), "others were freed since")
}
