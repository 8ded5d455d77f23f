package board

import (
	"os"
	"sync"

	"github.com/gopvas/gopvas/btl"
)

// Pool is memory for boards that a rank has allocated and that no team uses any more.
// Modules take no memory back, so the next team of the same shape gets it. A program that
// makes and frees teams in a loop has, of each shape, as many boards as it had teams of that shape at one time.
// The zero value is ready for use. Any goroutine may call the methods.
type Pool struct {
	mu   sync.Mutex
	free map[shape][]Memory
}

// shape is how a board lies in its memory. What a board leaves there is a beginning for those of its own shape alone.
type shape struct{ members, size int }

// Memory is where a board lies, as its first member knows it. The zero value: nowhere.
type Memory struct {
	mem []byte
	at  uint64 // for the other members
}

// Word is what tells other members where the memory is; 0: there is none.
func (m *Memory) Word() uint64 {
	if m.mem == nil {
		return 0
	}
	return m.at + 1
}

// take returns memory for a board.
func (p *Pool) take(m btl.Memory, s shape) (Memory, error) {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if row := p.free[s]; len(row) > 0 {
			last := len(row) - 1
			p.free[s] = row[:last]
			return row[last], nil
		}
	}
	page := os.Getpagesize() // less is not given out
	mem, at, err := m.Alloc((s.size + page - 1) / page * page)
	return Memory{mem, at}, err
}

// give takes memory back from a board, which has cleared it.
func (p *Pool) give(m Memory, s shape) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free == nil {
		p.free = map[shape][]Memory{}
	}
	p.free[s] = append(p.free[s], m)
}
