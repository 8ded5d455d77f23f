package epoch

import "sync/atomic"

// Mark says of a target how it is in the access epoch. The zero one is not.
type Mark uint32

// The bits of a mark.
const (
	Open      Mark = 1 << iota // operations are allowed
	Exclusive                  // this rank has the lock alone
	Unchecked                  // the lock is not taken

	markBits = 4
	allMarks = 1<<markBits - 1
	perWord  = 32 / markBits
)

// marks are those of all targets. They are changed under the lock of State, and read without it.
type marks struct {
	words atomic.Pointer[[]atomic.Uint32]
}

func (m *marks) get(rank int) Mark {
	words := m.words.Load()
	if words == nil {
		return 0
	}
	return Mark((*words)[rank/perWord].Load() >> (rank % perWord * markBits) & allMarks)
}

// set gives a target of so many its marks.
func (m *marks) set(rank, ranks int, to Mark) {
	words := m.words.Load()
	if words == nil {
		list := make([]atomic.Uint32, (ranks+perWord-1)/perWord)
		words = &list
		m.words.Store(words)
	}
	word, shift := &(*words)[rank/perWord], rank%perWord*markBits
	word.Store(word.Load()&^(allMarks<<shift) | uint32(to)<<shift)
}
