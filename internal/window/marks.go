package window

import "sync/atomic"

// marks are some bits for each target of a window. They are changed under the lock of the window, and read without it.
type marks struct {
	words atomic.Pointer[[]atomic.Uint32]
}

const (
	open      = 1 << iota // operations are allowed
	exclusive             // this rank has the lock alone
	unchecked             // the lock is not taken
	joined                // on another node: its lock was taken for that of all targets

	markBits = 4
	allMarks = 1<<markBits - 1
	perWord  = 32 / markBits
)

func (m *marks) get(rank int) uint32 {
	words := m.words.Load()
	if words == nil {
		return 0
	}
	return (*words)[rank/perWord].Load() >> (rank % perWord * markBits) & allMarks
}

// set gives a target of so many its marks.
func (m *marks) set(rank, ranks int, to uint32) {
	words := m.words.Load()
	if words == nil {
		list := make([]atomic.Uint32, (ranks+perWord-1)/perWord)
		words = &list
		m.words.Store(words)
	}
	word, shift := &(*words)[rank/perWord], rank%perWord*markBits
	word.Store(word.Load()&^(allMarks<<shift) | to<<shift)
}
