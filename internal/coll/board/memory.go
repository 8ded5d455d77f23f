package board

import (
	"os"
	"sync"

	"github.com/gopvas/gopvas/btl"
)

// Pool is memory for boards that a rank has allocated and that no team uses any more.
// Modules take no memory back, so the next team that needs as much gets it. A program that
// makes and frees teams in a loop has as many boards as it had teams at one time. The zero
// value is ready for use. Any goroutine may call the methods.
type Pool struct {
	mu   sync.Mutex
	free map[int][]memory // by length
}

// memory is the memory of a board.
type memory struct {
	mem []byte
	at  uint64 // for the other members

	used bool // by a team before, so that it is not zero
}

// take returns memory of at least size bytes.
func (p *Pool) take(m btl.Memory, size int) (memory, error) {
	page := os.Getpagesize() // less is not given out
	size = (size + page - 1) / page * page
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if row := p.free[size]; len(row) > 0 {
			g := row[len(row)-1]
			p.free[size] = row[:len(row)-1]
			return g, nil
		}
	}
	mem, at, err := m.Alloc(size)
	return memory{mem: mem, at: at}, err
}

// give takes memory back from a team.
func (p *Pool) give(g memory) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free == nil {
		p.free = map[int][]memory{}
	}
	g.used = true
	p.free[len(g.mem)] = append(p.free[len(g.mem)], g)
}
