package coll

import (
	"os"
	"sync"

	"github.com/gopvas/gopvas/btl"
)

// Boards is memory for boards that a rank has allocated and that no team uses any more.
// Modules take no memory back, so the next team that needs as much gets it. A program that
// makes and frees teams in a loop has as many boards as it had teams at one time. The zero
// value is ready for use. Any goroutine may call the methods.
type Boards struct {
	mu   sync.Mutex
	free map[int][]boardMemory // by length
}

// boardMemory is the memory of a board.
type boardMemory struct {
	mem []byte
	at  uint64 // for the other members
}

// take returns memory of at least size bytes, of which the first are zeros.
func (b *Boards) take(m btl.Memory, size, zeros int) (boardMemory, error) {
	page := os.Getpagesize() // less is not given out
	size = (size + page - 1) / page * page
	if b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		if row := b.free[size]; len(row) > 0 {
			g := row[len(row)-1]
			b.free[size] = row[:len(row)-1]
			clear(g.mem[:zeros])
			return g, nil
		}
	}
	mem, at, err := m.Alloc(size)
	return boardMemory{mem, at}, err
}

// give takes memory back from a team.
func (b *Boards) give(g boardMemory) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.free == nil {
		b.free = map[int][]boardMemory{}
	}
	b.free[len(g.mem)] = append(b.free[len(g.mem)], g)
}

// newBoard gets memory for the board of a team whose member 0 this is.
func (t *Team) newBoard(size, zeros int) (at uint64, err error) {
	t.boardMemory, err = t.Boards.take(t.Engine.Memory(t.World), size, zeros)
	return t.boardMemory.at, err
}

// Free gives back the memory that the team has allocated on this rank. The caller
// knows that no member is in a call, and that none will make another one.
func (t *Team) Free() {
	if t.Boards != nil && t.boardMemory.mem != nil {
		t.Boards.give(t.boardMemory)
	}
	t.freeLevels()
	t.board, t.boardMemory = nil, boardMemory{}
	t.Engine.Explain(t.Context, nil)
	t.known = false
}
