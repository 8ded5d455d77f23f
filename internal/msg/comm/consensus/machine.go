package consensus

import "math"

// Contribution is what a member gives.
type Contribution struct {
	Flag  uint64
	Acked uint32 // the number of the last end that it has acknowledged; 0: none
	Kind  uint32 // of the call; all members make the same
	ID    uint64 // of what is made if this member leads
}

// Decision is what all members get.
type Decision struct {
	Flag    uint64 // the AND of all contributions
	ID      uint64 // of the first member that has not ended by Ends
	Ends    uint32 // who has an end of a number up to this takes part no more
	Lost    uint32 // a member that has given nothing, whose end not all have acknowledged, plus one; 0: none
	Differs uint32 // a member that makes another call than the one which decides, plus one; 0: none
	Left    uint32 // a member that lives, has given nothing and never will, plus one; 0: none
}

// Left is what Words.End returns for a member that lives and writes no more.
const Left = math.MaxUint32

// Words are what a member reads and writes. Each call is one access of shared words, or is seen as one: what is
// published last decides.
type Words interface {
	Give(number uint64, c Contribution)
	Decide(number uint64, d Decision)
	End(member int) uint32 // the number of its end, or Left; 0: it may still write
	Ends() uint32          // of the last end
	Given(member int, number uint64) (Contribution, bool)
	Decided(member int, number uint64) (Decision, bool)
}

// Progress is what a step has come to.
type Progress int

// What a step has come to.
const (
	Goes  Progress = iota // there is another step to do
	Waits                 // for a member: see Machine.Awaits
	Over                  // the decision is in Result
)

type phase uint8

const (
	giving    phase = iota
	looking         // A2: whether member at has ended
	hearing         // whether it has decided
	gathering       // A3: whether member at has ended
	counting        // whether it has given
	ending          // reads E
	leading         // whether member at is the first that is not in E
	asking          // its contribution
	deciding
	over
)

// Machine is one member in one agreement. Its value says all: a copy of it goes on as it does.
type Machine struct {
	Number     uint64 // of the agreement, from 1 on
	Self, Size int
	Mine       Contribution
	Result     Decision

	phase   phase
	at      int
	end     uint32 // of member at
	acked   uint32 // the least that a contributor has acknowledged
	missing uint32 // the last end of a member that has not given
}

// Awaits returns the member whose contribution a member in A3 waits for; ok is false in A2.
func (m *Machine) Awaits() (member int, ok bool) { return m.at, m.phase == gathering }

// Step does the next step: one access at most.
func (m *Machine) Step(w Words) Progress {
	switch m.phase {
	case giving:
		w.Give(m.Number, m.Mine)
		m.phase = looking
	case looking:
		if m.at == m.Self {
			m.phase, m.at, m.acked = gathering, 0, math.MaxUint32
			m.Result = Decision{Flag: math.MaxUint64}
			return Goes
		}
		m.end, m.phase = w.End(m.at), hearing
	case hearing:
		return m.hear(w.Decided(m.at, m.Number))
	case gathering:
		if m.at == m.Size {
			m.phase = ending
			return Goes
		}
		m.end, m.phase = w.End(m.at), counting
	case counting:
		return m.count(w.Given(m.at, m.Number))
	case ending:
		m.Result.Ends = max(w.Ends(), m.missing) // an end that was seen may not be counted yet: those before it are
		m.at, m.phase = 0, leading
		if m.missing > m.acked {
			return Goes
		}
		m.Result.Lost = 0
	case leading:
		if end := w.End(m.at); end == 0 || end > m.Result.Ends {
			m.phase = asking
		} else {
			m.at++
		}
	case asking:
		c, _ := w.Given(m.at, m.Number)
		m.Result.ID, m.phase = c.ID, deciding
	case deciding:
		w.Decide(m.Number, m.Result)
		m.phase = over
		return Over
	case over:
		return Over
	}
	return Goes
}

// hear goes on with what a lower member has decided, or has not.
func (m *Machine) hear(d Decision, decided bool) Progress {
	m.phase = looking
	switch {
	case decided:
		m.Result, m.phase = d, over
		return Over
	case m.end == 0:
		return Waits
	}
	m.at++
	return Goes
}

// count goes on with what a member has given, or has not.
func (m *Machine) count(c Contribution, given bool) Progress {
	m.phase = gathering
	switch r := &m.Result; {
	case given:
		r.Flag &= c.Flag
		m.acked = min(m.acked, c.Acked)
		if c.Kind != m.Mine.Kind {
			r.Differs = uint32(m.at) + 1
		}
	case m.end == 0:
		return Waits
	case m.end == Left:
		r.Left = uint32(m.at) + 1
	case m.end > m.missing:
		m.missing, r.Lost = m.end, uint32(m.at)+1
	}
	m.at++
	return Goes
}
