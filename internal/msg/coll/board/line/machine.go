//go:build caches

package line

import (
	"math/rand/v2"
	"runtime"
	"slices"
)

// size is that of a cache line in bytes.
const size = 64

// Place is where a core is: a domain of cores with a last cache of their own, on a node of memory.
type Place struct{ Domain, Node int }

// Machine simulates the caches of a computer. Each core has a cache without bounds. The protocol MESI keeps the
// caches coherent: a line is in several of them, or in one that may write it. The cores of a
// domain find in its last cache what one of them has.
//
// The cores run one at a time, and hand on the turn before they load a word: to whom is random, or in a machine that
// is timed to the one that is behind all others. What a core stores between two loads gets out together, as it does
// from the buffer of stores of a real one.
type Machine struct {
	cores  int
	domain []caches           // those of each core's domain
	node   []caches           // those of its node
	lines  map[uintptr]caches // that have each line
	random *rand.Rand

	Timed bool            // cores take time for lines: see Count.Time
	now   []int           // of each core
	free  map[uintptr]int // when each line may move again

	Count

	dying  int    // the core on which a function dies; see Kill
	left   int    // uses of lines before that; 0: none dies
	untold int    // uses of lines by others before that is told; 0: it is, or none has died
	tell   func() // tells it

	core    int             // whose turn it is
	turns   []chan struct{} // of each core
	running []int           // cores that have not ended
	over    chan struct{}
}

// Count is what the machine counts.
type Count struct {
	Crossed     int // lines that one domain got from another one
	Nodes       int // of these, from another node
	Invalidated int // writes to lines that the domain had, as others did: these lose their copies
	Within      int // lines that one core got from another one of its domain

	// Time is when the last core of a timed machine has ended, in uses of a line that the core has. A line takes the
	// time of Move uses to its core, which waits for it. So do others that want the line.
	Time int
}

// Move is how much longer it takes to use a line that another core has.
const Move = 32

// caches are those of some cores, a bit for each. There are no more cores than bits.
type caches uint64

// machine is the one that runs; nil: words are words, and notes nothing.
var machine *Machine

// NewMachine returns a computer with a core at each of the places.
func NewMachine(seed uint64, places []Place) *Machine {
	m := &Machine{cores: len(places), lines: map[uintptr]caches{}, random: rand.New(rand.NewPCG(seed, 1)),
		now: make([]int, len(places)), free: map[uintptr]int{}}
	for _, p := range places {
		var domain, node caches
		for core, q := range places {
			if q.Domain == p.Domain {
				domain |= 1 << core
			}
			if q.Node == p.Node {
				node |= 1 << core
			}
		}
		m.domain, m.node = append(m.domain, domain), append(m.node, node)
	}
	return m
}

// Run runs a function on each core, until all have returned. The functions wait for one another only by words of
// this package.
func (m *Machine) Run(f func(core int)) {
	m.turns, m.running, m.over = nil, nil, make(chan struct{})
	clear(m.now)
	clear(m.free)
	for core := range m.cores {
		turn := make(chan struct{})
		m.turns, m.running = append(m.turns, turn), append(m.running, core)
		go func() {
			<-turn
			defer m.end(core)
			f(core)
		}()
	}
	machine = m
	m.pass()
	<-m.over
	machine = nil
}

// untoldMost bounds how long the others do not know of a death.
const untoldMost = 100

// Kill has a function die on a core when it uses a line for the n-th time, before it reads or writes. Some time later
// tell is called. Nobody dies if the function ends earlier: then Kill has no effect, and Killed is false.
func (m *Machine) Kill(core, n int, tell func()) { m.dying, m.left, m.tell = core, n, tell }

// Killed tells whether the function has died that Kill was called for.
func (m *Machine) Killed() bool { return m.tell != nil && m.left == 0 }

// next returns the core whose turn is next.
func (m *Machine) next() int {
	core := m.running[m.random.IntN(len(m.running))]
	if m.Timed {
		for _, other := range m.running {
			if m.now[other] < m.now[core] {
				core = other
			}
		}
	}
	return core
}

// pass gives the turn to some core.
func (m *Machine) pass() {
	m.core = m.next()
	m.turns[m.core] <- struct{}{}
}

func (m *Machine) end(core int) {
	if m.Timed {
		m.Time = max(m.Time, m.now[core])
	}
	m.running = slices.DeleteFunc(m.running, func(c int) bool { return c == core })
	if len(m.running) == 0 {
		close(m.over)
		return
	}
	m.pass()
}

// turn lets another core run.
func turn() {
	m := machine
	if m == nil {
		return
	}
	own := m.core
	if m.core = m.next(); m.core != own {
		m.turns[m.core] <- struct{}{}
		<-m.turns[own]
	}
}

// note is told what the core that runs has read or written.
func note(at, n uintptr, write bool) {
	if m := machine; m != nil && n > 0 {
		for l := at / size; l <= (at+n-1)/size; l++ {
			m.use(l, write)
		}
	}
}

// use gets a line for the core that runs.
func (m *Machine) use(l uintptr, write bool) {
	if m.untold > 0 {
		if m.untold--; m.untold == 0 {
			m.tell()
		}
	}
	if m.left > 0 && m.core == m.dying {
		if m.left--; m.left == 0 {
			m.untold = 1 + m.random.IntN(untoldMost)
			runtime.Goexit()
		}
	}
	have, own := m.lines[l], caches(1)<<m.core
	domain, node := m.domain[m.core], m.node[m.core]
	m.now[m.core]++
	if have&^own != 0 && (write || have&own == 0) {
		m.now[m.core] = max(m.now[m.core], m.free[l]) + Move
		m.free[l] = m.now[m.core]
	}
	switch {
	case have&own != 0 && !write:
	case have&domain != 0:
		if write && have&^domain != 0 {
			m.Invalidated++
		}
		if have&own == 0 {
			m.Within++
		}
	case have != 0:
		m.Crossed++
		if have&node == 0 {
			m.Nodes++
		}
	}
	if write {
		have = 0
	}
	m.lines[l] = have | own
}
