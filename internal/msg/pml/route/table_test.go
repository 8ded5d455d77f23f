package route

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
)

// module is a module that says what it is asked.
type module struct {
	btl.Messages
	comes, handedOver int // messages
	sender            int // of a message that is being sent; -1: none
}

func (m *module) EagerLimit() int        { return 100 }
func (m *module) Counters() btl.Counters { return btl.Counters{Received: uint64(m.handedOver)} }

func (m *module) Poll(max int, do func(*btl.Frame)) int {
	n := min(m.comes, max)
	for range n {
		do(&btl.Frame{})
	}
	m.comes, m.handedOver = m.comes-n, m.handedOver+n
	return n
}

func (m *module) Senders(do func(int)) {
	if m.sender >= 0 {
		do(m.sender)
	}
}

type memory struct{ btl.Memory }

// far reaches the odd ranks, and visits says that those from 8 on are of other jobs.
func far(rank int) bool    { return rank%2 == 1 && rank < 8 }
func visits(rank int) bool { return rank >= 8 }

// newTable returns the table of rank 0 of 4 ranks of 12 that there may be.
func newTable(together func([]btl.Member), settled func() bool) (t *Table, modules []*module) {
	for range 3 {
		modules = append(modules, &module{sender: -1})
	}
	t = &Table{}
	t.Init(modules[0], &btl.Capabilities{Memory: &memory{}}, 4, 12)
	t.AddPeers(modules[1], &btl.Capabilities{Together: together, Settled: settled}, far)
	return t, modules
}

func TestRoutes(t *testing.T) {
	table, modules := newTable(nil, nil)
	by := func() (numbers []uint8) {
		for rank := range 12 {
			numbers = append(numbers, table.By(rank))
			require.Same(t, modules[table.By(rank)], table.To(rank).Messages, rank)
		}
		return numbers
	}
	require.Equal(t, []uint8{0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0}, by(), "ranks that are added are reached alike")
	table.AddVisitors(modules[2], &btl.Capabilities{}, visits)
	require.Equal(t, []uint8{0, 1, 0, 1, 0, 1, 0, 1, 2, 2, 2, 2}, by())
}

func TestOneModule(t *testing.T) {
	var table Table
	m := &module{sender: -1}
	table.Init(m, &btl.Capabilities{Memory: &memory{}}, 4, 12)
	require.False(t, table.Several())
	require.NotNil(t, table.Memory(nil))
	require.Same(t, &table.First, table.To(11))
	table.AddVisitors(&module{}, &btl.Capabilities{}, visits)
	require.NotNil(t, table.Memory(nil), "visitors are none of all ranks")
	require.Nil(t, table.Memory([]int32{0, 8}))
}

func TestMemoryIsThatOfOneModule(t *testing.T) {
	table, _ := newTable(nil, nil)
	require.Nil(t, table.Memory(nil))
	require.Nil(t, table.Memory([]int32{0, 1}))
	require.NotNil(t, table.Memory([]int32{0, 2}))
}

func TestPollFurther(t *testing.T) {
	table, modules := newTable(nil, nil)
	modules[0].comes, modules[1].comes = 5, 3
	frames := 0
	came, more := table.PollFurther(2, func(*btl.Frame) { frames++ })
	require.Equal(t, []any{2, true, 2}, []any{came, more, frames})
	came, more = table.PollFurther(2, func(*btl.Frame) { frames++ })
	require.Equal(t, []any{1, false, 3}, []any{came, more, frames})
	require.EqualValues(t, 3, table.Counters().Received, "the first module was not asked")
}

func TestSettled(t *testing.T) {
	settled := false
	table, modules := newTable(nil, func() bool { return settled })
	require.False(t, table.Settled(), "the network has no acknowledgement")
	settled = true
	require.True(t, table.Settled())
	modules[0].sender = 2
	require.False(t, table.Settled(), "a rank is in the middle of a send")
	var senders []int
	modules[1].sender = 3
	table.Senders(func(rank int) { senders = append(senders, rank) })
	require.Equal(t, []int{2, 3}, senders)
}

func TestTogether(t *testing.T) {
	var members []btl.Member
	table, _ := newTable(func(m []btl.Member) { members = m }, nil)
	require.True(t, table.Plans())
	table.Together([]btl.Member{{Peer: 0}, {Peer: 1}, {Peer: 2}, {Peer: -2}, {Peer: 3}, {Peer: 12}, {Peer: 13}})
	require.Equal(t, []btl.Member{{Peer: 1}, {Peer: 3}}, members, "those that the module reaches")
}
