package coll

import (
	"os"
	"sync"

	"github.com/gopvas/gopvas/btl"
)

// Boards is the memory for boards that a rank has allocated and that no team uses any
// more. Modules take no memory back: so what a team leaves is kept for the next that
// needs as much, and a program that makes teams and frees them in a loop has as many
// boards as there were teams at one time. The zero value is ready for use. Its methods may
// be called by any goroutine.
type Boards struct {
	mu   sync.Mutex
	free map[int][]ground // by length
}

// ground is what a board stands on.
type ground struct {
	mem []byte
	at  uint64 // for the other members
}

// take returns memory of at least size bytes, which are zeros.
func (b *Boards) take(m btl.Memory, size int) (ground, error) {
	page := os.Getpagesize() // less is not given out
	size = (size + page - 1) / page * page
	if b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		if row := b.free[size]; len(row) > 0 {
			g := row[len(row)-1]
			b.free[size] = row[:len(row)-1]
			clear(g.mem)
			return g, nil
		}
	}
	mem, at, err := m.Alloc(size)
	return ground{mem, at}, err
}

// give takes memory back from a team.
func (b *Boards) give(g ground) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.free == nil {
		b.free = map[int][]ground{}
	}
	b.free[len(g.mem)] = append(b.free[len(g.mem)], g)
}

// newBoard gets memory for the board of a team whose member 0 this is.
func (t *Team) newBoard(size int) (at uint64, err error) {
	t.ground, err = t.Boards.take(t.Engine.Memory(t.World), size)
	return t.ground.at, err
}

// Free gives back the memory that the team has allocated on this rank. The caller
// knows that no member is in a call, and that none will make another one.
func (t *Team) Free() {
	if t.Boards != nil && t.ground.mem != nil {
		t.Boards.give(t.ground)
	}
	t.board, t.ground = nil, ground{}
	t.Engine.Explain(t.Context, nil)
	t.known = false
}
