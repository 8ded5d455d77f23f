package consensus

import (
	"fmt"
	"math"
	"testing"
)

// most is the number of members of the largest model.
const most = 4

// member is one of a model: its words, as doc.go has them, and its steps. rounds are the agreements that it is through.
type member struct {
	given   [2]numbered[Contribution]
	decided [2]numbered[Decision]
	end     uint32
	left    bool // it writes no more, though it lives
	machine Machine
	rounds  uint64
}

type numbered[T any] struct {
	number uint64
	of     T
}

// state is a model: a value, so that each state is looked at once. seen are the decisions, the first that a member was
// through with.
type state struct {
	members [most]member
	seen    [3]numbered[Decision]
	ends    uint32
	leaves  uint32 // members that have left
}

// model is what does not change.
type model struct {
	size   int
	rounds uint64
	deaths uint32
	leaves uint32
	acked  [most]uint32 // that a member has acknowledged, of the ends before the model begins
	t      testing.TB
}

// modelWords are those of a state, for a member.
type modelWords struct {
	*state
	self int
}

func (w modelWords) Give(number uint64, c Contribution) {
	w.members[w.self].given[number%2] = numbered[Contribution]{number, c}
}
func (w modelWords) Decide(number uint64, d Decision) {
	w.members[w.self].decided[number%2] = numbered[Decision]{number, d}
}
func (w modelWords) End(i int) uint32 {
	if m := &w.members[i]; m.end != 0 || !m.left {
		return m.end
	}
	return Left
}
func (w modelWords) Ends() uint32 { return w.ends }
func (w modelWords) Given(i int, number uint64) (Contribution, bool) {
	g := w.members[i].given[number%2]
	return g.of, g.number == number
}
func (w modelWords) Decided(i int, number uint64) (Decision, bool) {
	d := w.members[i].decided[number%2]
	return d.of, d.number == number
}

// begin has a member begin an agreement.
func (o *model) begin(s *state, i int, number uint64) {
	s.members[i].machine = Machine{Number: number, Self: i, Size: o.size, Mine: Contribution{
		Flag: ^(uint64(1) << i), Acked: o.acked[i], ID: uint64(i) + 100}}
}

// stuck tells whether a member publishes nothing more if the others do nothing more.
func (o *model) stuck(s state, i int) bool {
	before := s.members[i]
	for laps := 0; laps < 2; { // the first may look at what it has read before
		m := &s.members[i]
		switch m.machine.Step(modelWords{&s, i}) {
		case Waits:
			laps++
		case Over:
			return false
		}
		if m.given != before.given || m.decided != before.decided {
			return false
		}
	}
	return true
}

// next returns what a step of a member makes of a state.
func (o *model) next(s state, i int) state {
	m := &s.members[i]
	if m.machine.Step(modelWords{&s, i}) == Over {
		n, d := m.machine.Number, m.machine.Result
		seen := &s.seen[n-1]
		if seen.number == 0 {
			o.check(&s, n, &d)
			*seen = numbered[Decision]{n, d}
		}
		if d != seen.of {
			o.t.Fatalf("members disagree about %d: %+v, %+v", n, d, seen.of)
		}
		m.rounds, m.machine = n, Machine{}
		if n < o.rounds {
			o.begin(&s, i, n+1)
		}
	}
	return s
}

// check checks a decision when the first member gets it.
func (o *model) check(s *state, number uint64, d *Decision) {
	leader, lost := -1, uint32(0)
	least := uint32(math.MaxUint32)
	for i := range o.size {
		m := &s.members[i]
		in := d.Flag>>i&1 == 0
		given := m.given[number%2].number == number || m.rounds >= number
		if excluded := m.end != 0 && m.end <= d.Ends; !excluded {
			if leader < 0 {
				leader = i
			}
			if !in && !(m.left && d.Left != 0) {
				o.t.Fatalf("member %d lives, and its contribution is not in %+v", i, d)
			}
		}
		switch {
		case in && !given:
			o.t.Fatalf("member %d has given nothing, and it is in %+v", i, d)
		case in:
			least = min(least, o.acked[i])
		default:
			lost = max(lost, m.end)
		}
	}
	if d.Left != 0 { // the others of d are not used
		if by := &s.members[d.Left-1]; !by.left || by.given[number%2].number == number {
			o.t.Fatalf("member %d has not left, or has given: %+v", d.Left-1, d)
		}
		return
	}
	if d.ID != uint64(leader)+100 {
		o.t.Fatalf("%d leads, and the decision is %+v", leader, d)
	}
	if (d.Lost != 0) != (lost > least) || d.Lost != 0 && s.members[d.Lost-1].end <= least {
		o.t.Fatalf("%d acknowledged by all, %d the last end of one that is missing: %+v", least, lost, d)
	}
}

// run looks at all states that steps and deaths in any order lead to, and returns their number.
func (o *model) run(dead ...int) int {
	var first state
	for i := range o.size {
		o.begin(&first, i, 1)
	}
	for _, i := range dead {
		first.ends++
		first.members[i] = member{end: first.ends}
	}
	known, todo := map[state]bool{first: true}, []state{first}
	visit := func(s state) {
		if !known[s] {
			known[s] = true
			todo = append(todo, s)
		}
	}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		stuck, through := true, true
		for i := range o.size {
			m := &s.members[i]
			if m.end != 0 {
				continue
			}
			if s.leaves < o.leaves && !m.left {
				without := s
				without.leaves++
				without.members[i].left, without.members[i].machine = true, Machine{}
				visit(without)
			}
			if s.ends < o.deaths+uint32(len(dead)) {
				killed := s
				killed.ends++
				killed.members[i].end, killed.members[i].machine = killed.ends, Machine{}
				visit(killed)
			}
			if m.left || m.rounds == o.rounds {
				continue
			}
			through = false
			visit(o.next(s, i))
			stuck = stuck && o.stuck(s, i)
		}
		if stuck && !through {
			o.t.Fatalf("all who live wait for ever: %+v", s.members[:o.size])
		}
	}
	return len(known)
}

// Whatever member dies or leaves at whatever step, and however the steps of all follow one another: all who end an
// agreement have the same decision, it has the contributions of all who live or names one that has left, and nobody
// waits for ever.
func TestAgreementInAllOrders(t *testing.T) {
	for _, c := range []struct {
		size   int
		rounds uint64
		deaths uint32
		leaves uint32
		dead   []int
		acked  [most]uint32
	}{
		{size: 1, rounds: 3, deaths: 1},
		{size: 2, rounds: 3, deaths: 2},
		{size: 3, rounds: 1, deaths: 3},
		{size: 3, rounds: 3, deaths: 3},
		{size: 3, rounds: 1, deaths: 2, dead: []int{0}, acked: [most]uint32{0, 1, 0}},
		{size: 3, rounds: 1, deaths: 2, dead: []int{1}, acked: [most]uint32{1, 0, 1}},
		{size: 3, rounds: 2, deaths: 2, leaves: 2},
		{size: 4, rounds: 2, deaths: 4},
		{size: 4, rounds: 1, deaths: 1, leaves: 2},
		{size: 4, rounds: 1, deaths: 2, dead: []int{2, 0}, acked: [most]uint32{0, 1, 0, 2}},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			o := &model{size: c.size, rounds: c.rounds, deaths: c.deaths, leaves: c.leaves, acked: c.acked, t: t}
			t.Logf("%d states", o.run(c.dead...))
		})
	}
}
