package mpi

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// randomViews makes collective calls on views of all shapes, in all forms, and compares with
// what a naive model says. Errors name the seed.
func randomViews(c *Comm) error {
	seed, err := seedOfAll(c)
	if err != nil {
		return err
	}
	calls := 60
	if testkit.Race || c.Size() > 8 {
		calls = 25
	}
	for i := range calls {
		m := newViewModel(c, rand.New(rand.NewPCG(seed, uint64(i))), uint64(i))
		if err := m.call(); err != nil {
			return fmt.Errorf("call %d, TEST_SEED=%d: %s of up to %d elements, form %d, root %d of %d: %w",
				i, seed, m.name, m.most, m.form, m.root, c.Size(), err)
		}
	}
	return nil
}

// viewModel is one call on views. All ranks draw the same from the first source of random
// numbers; own is a rank's own, for the shapes of its views.
type viewModel struct {
	*rand.Rand
	own  *rand.Rand
	c    *Comm
	name string
	form int // blocking, nonblocking, persistent
	root int
	most int
	salt int

	twice   bool // what is sent has its first half once in memory, and twice in the view
	lengths [][]int
	memory  []int32 // of all views of this rank: so that they have a slice in common
	used    int
}

func newViewModel(c *Comm, d *rand.Rand, call uint64) *viewModel {
	m := &viewModel{Rand: d, c: c, form: d.IntN(3), root: d.IntN(c.Size()),
		salt: int(call) * 10_000, twice: d.IntN(4) == 0}
	m.own = rand.New(rand.NewPCG(d.Uint64(), uint64(c.Rank())))
	switch m.most = d.IntN(60); d.IntN(10) {
	case 0:
		m.most = 0
	case 1, 2:
		m.most = d.IntN(3000)
	case 3:
		if c.Size() <= 8 {
			m.most = 17_000 + d.IntN(30_000) // more than a piece of a graph
		}
	}
	return m
}

// call draws an operation and does it.
func (m *viewModel) call() error {
	ops := []struct {
		name string
		do   func() error
	}{{"bcast", m.bcast}, {"gather", m.gather}, {"scatter", m.scatter}, {"allgather", m.allgather},
		{"alltoallw", m.alltoallw}, {"alltoallw in place", m.inPlace}}
	op := ops[m.IntN(len(ops))]
	m.name = op.name
	m.lengths = upTo(m.c.Size(), func(int) []int { return upTo(m.c.Size(), func(int) int { return m.length() }) })
	m.memory = make([]int32, 6*(m.most+2)*(m.c.Size()+1)*2)
	for i := range m.memory {
		m.memory[i] = -7
	}
	return op.do()
}

// length is that of a view, sometimes 0.
func (m *viewModel) length() int { return min(m.IntN(5), 1) * m.IntN(m.most+1) }

// has is what a rank has for another.
func (m *viewModel) has(from, to, n int) []int32 {
	x := data(m.salt, from, to, n)
	if m.twice {
		copy(x[n/2:], x[:n/2])
	}
	return x
}

// sends returns a view of n elements that has what this rank has for another.
func (m *viewModel) sends(to, n int) View[int32] {
	v := m.receives(n)
	if at := m.used; m.twice {
		m.used += n
		v = Indexed(m.memory, []int{n / 2, n / 2, n % 2}, []int{at, at, at + n/2})
	}
	v.put(m.has(m.c.Rank(), to, n))
	return v
}

// receives returns a view of n elements of memory that no other view has.
func (m *viewModel) receives(n int) View[int32] {
	at := m.used
	m.used += 3*n + 1
	shape := m.own.IntN(5)
	switch {
	case shape == 0 || n == 0:
		return Whole(m.memory[at:][:n])
	case shape == 1:
		return Vector(m.memory[at:], n, 1, 3)
	case shape == 2 && n%2 == 0: // column by column
		return Strided(m.memory[at:], []int{n / 2, 2}, []int{1, n})
	case shape == 3:
		return Subarray(m.memory, []int{len(m.memory)}, []int{n}, []int{at})
	}
	var lengths, places []int
	for left := n; left > 0; {
		k := 1 + m.own.IntN(left)
		if len(lengths) == 50 {
			k = left
		}
		lengths, places = append(lengths, k), append(places, at)
		left, at = left-k, at+k+m.own.IntN(2*k+1)
	}
	m.own.Shuffle(len(places), func(i, j int) {
		lengths[i], lengths[j] = lengths[j], lengths[i]
		places[i], places[j] = places[j], places[i]
	})
	return Indexed(m.memory, lengths, places)
}

// result does the call in the form that was drawn, the persistent one twice, and checks what
// was received, and that all else is as before. want is what each view receives. again
// fills the views that are sent and received at the same time.
func (m *viewModel) result(run func() error, begin, prepare func() (Request, error), got []View[int32],
	want func(i int) []int32, again func()) error {
	old := upTo(len(got), func(i int) []int32 { return got[i].elements() })
	before := slices.Clone(m.memory)
	check := func(err error) error {
		for i, v := range got {
			err = first(err, eq("view", v.elements(), want(i)))
			v.put(old[i])
		}
		return first(err, eq("all else", m.memory, before))
	}
	switch m.form {
	case 0:
		return check(run())
	case 1:
		return check(result(begin()))
	}
	r, err := prepare()
	for range 2 {
		again()
		err = first(err, r.Start())
		err = check(first(err, result(r, nil)))
	}
	return first(err, r.Free())
}

func (m *viewModel) bcast() error {
	n, me := m.length(), m.c.Rank()
	var v View[int32]
	var got []View[int32]
	if me == m.root {
		v = m.sends(0, n)
	} else {
		v = m.receives(n)
		got = []View[int32]{v}
	}
	return m.result(func() error { return v.Bcast(m.c, m.root) },
		func() (Request, error) { return v.Ibcast(m.c, m.root) },
		func() (Request, error) { return v.BcastInit(m.c, m.root) },
		got, func(int) []int32 { return m.has(m.root, 0, n) }, func() {})
}

// spoilt calls with copies of slices of views, which are cleared when the call is back.
func spoilt(send, recv []View[int32], call func(send, recv []View[int32]) (Request, error)) func() (Request, error) {
	return func() (Request, error) {
		send, recv := slices.Clone(send), slices.Clone(recv)
		defer clear(send)
		defer clear(recv)
		return call(send, recv)
	}
}

func (m *viewModel) gather() error {
	me := m.c.Rank()
	v := m.sends(0, m.lengths[me][0])
	var got []View[int32]
	if me == m.root {
		got = upTo(m.c.Size(), func(i int) View[int32] { return m.receives(m.lengths[i][0]) })
	}
	return m.result(func() error { return v.Gather(m.c, got, m.root) },
		spoilt(nil, got, func(_, got []View[int32]) (Request, error) { return v.Igather(m.c, got, m.root) }),
		spoilt(nil, got, func(_, got []View[int32]) (Request, error) { return v.GatherInit(m.c, got, m.root) }),
		got, func(i int) []int32 { return m.has(i, 0, m.lengths[i][0]) }, func() {})
}

func (m *viewModel) scatter() error {
	me := m.c.Rank()
	v := m.receives(m.lengths[m.root][me])
	var send []View[int32]
	if me == m.root {
		send = upTo(m.c.Size(), func(i int) View[int32] { return m.sends(i, m.lengths[me][i]) })
	}
	return m.result(func() error { return v.Scatter(m.c, send, m.root) },
		spoilt(send, nil, func(send, _ []View[int32]) (Request, error) { return v.Iscatter(m.c, send, m.root) }),
		spoilt(send, nil, func(send, _ []View[int32]) (Request, error) { return v.ScatterInit(m.c, send, m.root) }),
		[]View[int32]{v}, func(int) []int32 { return m.has(m.root, me, m.lengths[m.root][me]) }, func() {})
}

func (m *viewModel) allgather() error {
	me := m.c.Rank()
	v := m.sends(0, m.lengths[me][0])
	got := upTo(m.c.Size(), func(i int) View[int32] { return m.receives(m.lengths[i][0]) })
	return m.result(func() error { return v.Allgather(m.c, got) },
		spoilt(nil, got, func(_, got []View[int32]) (Request, error) { return v.Iallgather(m.c, got) }),
		spoilt(nil, got, func(_, got []View[int32]) (Request, error) { return v.AllgatherInit(m.c, got) }),
		got, func(i int) []int32 { return m.has(i, 0, m.lengths[i][0]) }, func() {})
}

func (m *viewModel) alltoallw() error {
	me := m.c.Rank()
	send := upTo(m.c.Size(), func(i int) View[int32] { return m.sends(i, m.lengths[me][i]) })
	got := upTo(m.c.Size(), func(i int) View[int32] { return m.receives(m.lengths[i][me]) })
	return m.exchange(send, got, func() {})
}

// inPlace is an Alltoallw from the views that receive. It is as long in both directions.
func (m *viewModel) inPlace() error {
	me := m.c.Rank()
	m.twice = false
	both := upTo(m.c.Size(), func(i int) View[int32] { return m.receives(m.lengths[min(i, me)][max(i, me)]) })
	fill := func() {
		for i, v := range both {
			v.put(m.has(me, i, v.Len()))
		}
	}
	fill()
	return m.exchange(nil, both, fill)
}

func (m *viewModel) exchange(send, got []View[int32], again func()) error {
	return m.result(func() error { return Alltoallw(m.c, send, got) },
		spoilt(send, got, func(send, got []View[int32]) (Request, error) { return Ialltoallw(m.c, send, got) }),
		spoilt(send, got, func(send, got []View[int32]) (Request, error) { return AlltoallwInit(m.c, send, got) }),
		got, func(i int) []int32 { return m.has(i, m.c.Rank(), got[i].Len()) }, again)
}

// longAgainstWhole exchanges long views of which one end lies in one piece and the other does
// not, with oneself in the same slice, and among neighbours.
func longAgainstWhole(c *Comm) error {
	const n = 50_000
	size, me := c.Size(), c.Rank()
	ring, err := ringOf(c)
	if err != nil {
		return err
	}
	memory := make([]int32, 2*n*(size+1))
	whole := Whole(memory[:n])
	every := func(i int) View[int32] { return Vector(memory[n+i:], n, 1, size) }
	whole.put(data(0, me, 0, n))
	check := func(err error) error {
		for i := range size {
			v := every(i)
			err = first(err, eq("view", v.elements(), data(0, i, 0, n)))
			v.put(make([]int32, n))
		}
		return err
	}
	if err := check(result(whole.Iallgather(c, upTo(size, every)))); err != nil {
		return fmt.Errorf("allgather: %w", err)
	}
	if err := check(whole.Allgather(c, upTo(size, every))); err != nil {
		return fmt.Errorf("allgather: %w", err)
	}
	from := (me + size - 1) % size
	left, right := Indexed(memory, []int{n}, []int{n}), Vector(memory[2*n:], n/2, 1, 2)
	short := Whole(memory[:n/2])
	err = result(IneighborAlltoallw(ring, []View[int32]{short, whole}, []View[int32]{left, right}))
	return errors.Join(err, eq("left", left.elements(), data(0, from, 0, n)),
		eq("right", right.elements(), data(0, (me+1)%size, 0, n/2)), ring.Free())
}

// otherLengths: views of one rank that are not as long as those of others are an error of
// those that see it, and calls go on.
func otherLengths(c *Comm) error {
	if c.Size() == 1 {
		return nil
	}
	defer comm.SetCheck(c.inner(), comm.SetCheck(c.inner(), true))
	n, odd := c.Size(), 1
	length := 40
	if c.Rank() == odd {
		length = 39
	}
	cells := make([]int32, 400*(n+1))
	view := func(i int) View[int32] { return Vector(cells[4*40*i:], length, 1, 4) }
	views := func() []View[int32] { return upTo(n, view) }
	for _, k := range []struct {
		what string
		call func() error
	}{
		{"bcast", func() error { return view(n).Bcast(c, 0) }},
		{"ibcast", func() error { return result(view(n).Ibcast(c, 0)) }},
		{"gather", func() error { return view(n).Gather(c, views(), 0) }},
		{"scatter", func() error { return view(n).Scatter(c, views(), 0) }},
		{"allgather", func() error { return view(n).Allgather(c, views()) }},
		{"alltoallw", func() error { return Alltoallw(c, nil, views()) }},
	} {
		if err := differs(c, k.call()); err != nil {
			return fmt.Errorf("%s: %w", k.what, err)
		}
	}
	return nil
}

// wrongViewOfOne: the others hear of a view of one rank that cannot be used, and all go on. Of
// calls that do not block they hear if all calls of the job are checked.
func wrongViewOfOne(c *Comm) error {
	background := comm.Checked(c.inner())
	defer comm.SetCheck(c.inner(), comm.SetCheck(c.inner(), true))
	n, odd := c.Size(), c.Size()-1
	cells, others := make([]int, 10*n), make([]int, 5*n)
	good, bad := Vector(cells, 5, 1, 2), Vector(cells, 5, 1, 10*n)
	v := good
	if c.Rank() == odd {
		v = bad
	}
	all := upTo(n, func(i int) View[int] { return Vector(others[5*i:], 5, 1, 1) })
	for _, k := range []struct {
		what string
		call func(v View[int]) error
	}{
		{"bcast", func(v View[int]) error { return v.Bcast(c, 0) }},
		{"ibcast", func(v View[int]) error { return result(v.Ibcast(c, 0)) }},
		{"gather", func(v View[int]) error { return v.Gather(c, all, 0) }},
		{"igather", func(v View[int]) error { return result(v.Igather(c, all, 0)) }},
		{"scatter", func(v View[int]) error { return v.Scatter(c, all, 0) }},
		{"iscatter", func(v View[int]) error { return result(v.Iscatter(c, all, 0)) }},
		{"allgather", func(v View[int]) error { return v.Allgather(c, all) }},
		{"iallgather", func(v View[int]) error { return result(v.Iallgather(c, all)) }},
	} {
		if k.what[0] == 'i' && !background {
			continue
		}
		if err := first(heardOf[*ViewError](k.call(v), c.Rank() == odd, odd, true), c.Barrier(),
			k.call(good)); err != nil {
			return fmt.Errorf("%s: %w", k.what, err)
		}
	}
	return nil
}

// TestViewsByAlgorithms: on views by the algorithms that nobody would choose for them, too.
func TestViewsByAlgorithms(t *testing.T) {
	choice, err := coll.ParseChoice(
		"bcast=direct,gather=direct,scatter=direct,allgather=direct,alltoall=direct,ibcast=chain")
	require.NoError(t, err)
	inOneSpaceBy(t, 5, comm.Settings{Choice: choice},
		func(c *Comm) error { return errors.Join(randomViews(c), c.Finalize()) })
	c := smJob(5)
	c.Settings.Coll = "bcast=chain,ibcast=chain,gather=linear"
	jobtest.Run(t, c, "collectives", "CASE=random views")
}
