package mpi

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// busyWindows: all ranks access windows at a time.
func busyWindows(c *Comm) error { return first(windowsAtRandom(c), counters(c), twins(c)) }

// windowsWithoutEnd says when it begins.
func windowsWithoutEnd(c *Comm) error {
	host, _ := os.Hostname()
	fmt.Printf("rank %d of %d on %s pid %d\n", c.Rank(), c.Size(), host, os.Getpid())
	for {
		if err := busyWindows(c); err != nil {
			return err
		}
	}
}

func TestBusyWindowsOfGoroutines(t *testing.T) {
	if testkit.Race {
		t.Skip("the locks of elements lie in mapped memory, which the race detector does not see")
	}
	for _, ranks := range testkit.Counts(1, 2, 3) {
		overMem(t, ranks, 4, mem.Options{}, busyWindows)
		inOneSpace(t, ranks, busyWindows)
	}
}

func TestBusyWindowsOfProcesses(t *testing.T) {
	for _, ranks := range testkit.Counts(2, 8) {
		jobtest.Run(t, smJob(ranks), "busy windows")
	}
}

// windowsAtRandom: what all ranks do to windows at a time, in epochs of any kind, ends as a naive model says. Errors
// name the seed.
func windowsAtRandom(c *Comm) error {
	seed, err := seedOfAll(c)
	if err != nil {
		return err
	}
	err = first(randomWindow[int64](c, seed), randomWindow[int32](c, seed), randomWindow[int16](c, seed),
		randomWindow[uint8](c, seed), randomWindow[float32](c, seed), randomWindow[float64](c, seed))
	if err != nil {
		return fmt.Errorf("TEST_SEED=%d: %w", seed, err)
	}
	return nil
}

// The parts of a rank's memory: sums, greatest values, tickets, and what each origin alone writes.
const (
	sums, greatest, tickets = 0, 50, 100
	owned, ownedEach        = 101, 10
)

// winModel is what the windows of all ranks should have.
type winModel[T Real] struct {
	w     *Window[T]
	c     *Comm
	rows  [][]T
	drawn []T // by this rank
}

func randomWindow[T Real](c *Comm, seed uint64) error {
	d := rand.New(rand.NewPCG(seed, 0))
	length := owned + ownedEach*c.Size()
	m := &winModel[T]{c: c}
	var err error
	switch kind := d.IntN(3); {
	case kind == 0 && comm.OneNode(c.inner()):
		m.w, err = WinAllocateContiguous[T](c, length)
	case kind == 1 && c.OneAddressSpace():
		m.w, err = WinCreate(c, make([]T, length))
	default:
		m.w, err = WinAllocateShared[T](c, length)
	}
	if err != nil {
		return err
	}
	for range c.Size() {
		m.rows = append(m.rows, make([]T, length))
	}
	for round := range 6 {
		if err := m.round(d.IntN(4), seed, round); err != nil {
			return fmt.Errorf("%T, round %d: %w", T(0), round, err)
		}
	}
	return m.w.Free()
}

// round has all ranks do something in an epoch, and looks at what has become of it.
func (m *winModel[T]) round(epoch int, seed uint64, round int) error {
	m.drawn = m.drawn[:0]
	begin, end := m.epoch(epoch)
	if err := begin(); err != nil {
		return err
	}
	for rank := range m.c.Size() {
		d := rand.New(rand.NewPCG(seed, uint64(1000*(round+1)+rank)))
		for range d.IntN(12) {
			if err := m.do(d, rank, epoch); err != nil {
				return err
			}
		}
	}
	if err := first(end(), m.c.Barrier()); err != nil {
		return err
	}
	for rank, row := range m.rows {
		got := make([]T, len(row))
		if err := first(m.w.RLock(rank), m.w.Get(got, rank, 0), m.w.Unlock(rank)); err != nil {
			return err
		}
		if !slices.Equal(got, row) {
			return fmt.Errorf("epoch %d: rank %d has %v, not %v", epoch, rank, got, row)
		}
	}
	return first(m.allDrawn(), m.c.Barrier())
}

// epoch returns what begins and ends an epoch that lasts for all operations of a round.
func (m *winModel[T]) epoch(kind int) (begin, end func() error) {
	switch kind {
	case 0:
		return m.w.Fence, m.w.Fence
	case 1:
		return m.w.LockAll, m.w.UnlockAll
	}
	return func() error { return nil }, func() error { return nil }
}

// do does an operation of a rank if that is this one, and notes what comes of it.
func (m *winModel[T]) do(d *rand.Rand, origin, epoch int) error {
	target, what := d.IntN(m.c.Size()), d.IntN(4)
	at, n := d.IntN(30), 1+d.IntN(20)
	values := make([]T, n)
	for i := range values {
		values[i] = T(d.IntN(10))
	}
	row := m.rows[target]
	call := func() error { return nil }
	switch what {
	case 0:
		for i, v := range values {
			row[sums+at+i] += v
		}
		call = func() error { return m.w.Accumulate(Sum[T](), values, target, sums+at) }
	case 1:
		for i, v := range values {
			row[greatest+at+i] = max(row[greatest+at+i], v)
		}
		call = func() error { return m.w.Accumulate(Max[T](), values, target, greatest+at) }
	case 2:
		target, row = 0, m.rows[0]
		row[tickets]++
		call = func() error {
			ticket, err := m.w.FetchAndOp(Sum[T](), 1, 0, tickets)
			m.drawn = append(m.drawn, ticket)
			return err
		}
	case 3:
		at = owned + ownedEach*origin + at%5
		values = values[:min(n, 5)]
		copy(row[at:], values)
		call = func() error { return m.w.Put(values, target, at) }
	}
	if origin != m.c.Rank() {
		return nil
	}
	switch epoch {
	case 2:
		return first(m.w.Lock(target), call(), m.w.Unlock(target))
	case 3:
		return first(m.w.RLock(target), call(), m.w.Unlock(target))
	}
	return call()
}

// allDrawn: no ticket was drawn twice. It puts them back.
func (m *winModel[T]) allDrawn() error {
	counts, n := make([]int, m.c.Size()), []int{len(m.drawn)}
	if err := Allgather(m.c, n, counts); err != nil {
		return err
	}
	total := 0
	for _, k := range counts {
		total += k
	}
	all := make([]T, total)
	if err := Allgatherv(m.c, m.drawn, all, counts, nil); err != nil {
		return err
	}
	slices.Sort(all)
	for i, ticket := range all {
		if ticket != T(i) {
			return fmt.Errorf("the tickets are %v", all)
		}
	}
	m.rows[0][tickets] = 0
	if m.c.Rank() != 0 {
		return nil
	}
	err := m.w.Lock(0)
	if err == nil {
		_, err = m.w.Swap(0, 0, tickets)
	}
	return first(err, m.w.Unlock(0))
}

// counters: all ranks add to the same elements at once, by calls of every length.
func counters(c *Comm) error {
	w, err := WinAllocateShared[float64](c, 5000)
	if err != nil {
		return err
	}
	const rounds = 50
	ones := slices.Repeat([]float64{1}, 5000)
	if err := w.LockAll(); err != nil {
		return err
	}
	for i := range rounds {
		n := 1 << (i % 13)
		if err := w.Accumulate(Sum[float64](), ones[:min(n, 5000)], 0, 0); err != nil {
			return err
		}
		if _, err := w.FetchAndOp(Sum[float64](), 1, 0, 0); err != nil {
			return err
		}
	}
	if err := first(w.UnlockAll(), c.Barrier()); err != nil {
		return err
	}
	if c.Rank() == 0 {
		if err := want("the first sum", w.Local()[0], float64(2*rounds*c.Size())); err != nil {
			return err
		}
		if err := want("another sum", w.Local()[1], float64((rounds-4)*c.Size())); err != nil {
			return err
		}
	}
	return w.Free()
}

// twins: a rank that has the lock alone changes two elements, one after the other. One that shares it finds them equal.
func twins(c *Comm) error {
	w, err := WinAllocateShared[int64](c, 1024)
	if err != nil {
		return err
	}
	last, turns := c.Size()-1, 200
	if !comm.OneNode(c.inner()) {
		turns = 30 // one rank at a time goes to another node and back
	}
	for i := range turns {
		var a, b [1]int64
		alone := (i+c.Rank())%3 == 0
		switch {
		case alone:
			err = first(w.Lock(last), w.Get(a[:], last, 0))
			err = first(err, w.Put([]int64{a[0] + 1}, last, 0), w.Flush(last), w.Get(b[:], last, 1000))
			err = first(err, w.Put([]int64{b[0] + 1}, last, 1000), w.Unlock(last))
		case i%2 == 0:
			err = first(w.RLock(last), w.Get(a[:], last, 0), w.Get(b[:], last, 1000), w.Unlock(last))
		default:
			err = first(w.LockAll(), w.Get(a[:], last, 0), w.Get(b[:], last, 1000), w.UnlockAll())
		}
		if err := first(err, want("the second twin", b[0], a[0])); err != nil {
			return err
		}
	}
	return first(c.Barrier(), w.Free())
}

func TestOperationsOfWindowsAllocateNothing(t *testing.T) {
	testkit.OneGoroutine(t)
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		w, err := WinAllocateShared[int64](c, 100)
		if err != nil {
			return err
		}
		row, sum := make([]int64, 20), Sum[int64]()
		n := testing.AllocsPerRun(100, func() {
			err = first(err, w.Lock(0), w.Put(row, 0, 3), w.Get(row, 0, 3), w.Accumulate(sum, row, 0, 3), w.Flush(0))
			err = first(err, w.Unlock(0), w.LockAll(), w.UnlockAll())
		})
		return first(err, want("allocations", n, 0), w.Free())
	})
}
