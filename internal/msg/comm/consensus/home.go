package consensus

import (
	"fmt"
	"sync"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Home is the memory of a process for the agreements of its communicators. Any goroutine may use it.
type Home struct {
	Root *job.Root
	Rank int

	mu       sync.Mutex
	attached map[place]*page
	free     []*Block
	pages    int       // that were made
	freed    []*Circle // whose blocks others may still look at
	left     error     // why this process takes part in no agreement any more; nil: it does
}

// leave ends the part of this process in all agreements. mu is held.
func (h *Home) leave(cause error) {
	h.left = fmt.Errorf("no memory for agreements, in which this rank takes part no more: %w", cause)
	job.LeaveAgreements(h.Root, h.Rank)
}

// hasLeft returns why this process takes part in no agreement any more; nil: it does.
func (h *Home) hasLeft() error {
	if !job.LeftAgreements(h.Root, h.Rank) {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.left
}

// place is where a page is.
type place struct {
	rank int
	at   uint64
}

// take returns a block for a key. After an error this process has left.
func (h *Home) take(m btl.Memory, key uint64) (*Block, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.left != nil {
		return nil, h.left
	}
	h.reclaim(m)
	if len(h.free) == 0 {
		if err := h.grow(m); err != nil {
			h.leave(err)
			return nil, h.left
		}
	}
	last := len(h.free) - 1
	b := h.free[last]
	h.free = h.free[:last]
	b.key.Store(key)
	return b, nil
}

// grow makes a page. mu is held.
func (h *Home) grow(m btl.Memory) error {
	mem, at, err := m.Alloc(pageSize)
	if err != nil {
		return err
	}
	p := pageIn(mem)
	if before, ok := job.Agreements(h.Root, h.Rank); ok {
		p.next = before + 1
	}
	job.SetAgreements(h.Root, h.Rank, at)
	h.pages++
	for i := range p.blocks {
		h.free = append(h.free, &p.blocks[i])
	}
	return nil
}

// reclaimLooks bounds the communicators that one call of reclaim looks at.
const reclaimLooks = 4

// reclaim takes back blocks of communicators that all members have freed. mu is held.
func (h *Home) reclaim(m btl.Memory) {
	for range min(reclaimLooks, len(h.freed)) {
		c := h.freed[0]
		if h.freed = h.freed[1:]; !c.deserted(m) {
			h.freed = append(h.freed, c)
			continue
		}
		b := c.own
		b.key.Store(0)
		for i := range b.given {
			b.given[i].number.Store(0)
			b.decided[i].number.Store(0)
		}
		b.left.Store(0)
		h.free = append(h.free, b)
	}
}

// find returns the block of a rank for a key, nil if it has none. The error is that this process cannot map a page. mu
// is held.
func (h *Home) find(m btl.Memory, rank int, key uint64) (*Block, error) {
	at, ok := job.Agreements(h.Root, rank)
	for ok {
		p, err := h.attach(m, place{rank, at})
		if err != nil {
			return nil, err
		}
		for i := range p.blocks {
			if p.blocks[i].key.Load() == key {
				return &p.blocks[i], nil
			}
		}
		at, ok = p.next-1, p.next != 0
	}
	return nil, nil
}

// attach returns a page of a rank.
func (h *Home) attach(m btl.Memory, where place) (*page, error) {
	if p := h.attached[where]; p != nil {
		return p, nil
	}
	mem, err := m.Attach(where.rank, where.at, pageSize)
	if err != nil {
		return nil, err
	}
	if h.attached == nil {
		h.attached = map[place]*page{}
	}
	p := pageIn(mem)
	h.attached[where] = p
	return p, nil
}

// Pages is how many pages of memory the process has made.
func (h *Home) Pages() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pages
}
