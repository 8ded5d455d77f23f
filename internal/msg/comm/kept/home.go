package kept

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Home is the blocks that a process keeps. Any goroutine may use it.
type Home struct {
	mu     sync.Mutex
	own    *directory // nil: there is none yet
	blocks map[string]*Block
}

// Block is one of them.
type Block struct {
	Memory []byte // for the program
	All    []byte // that was taken for it, and its place
	At     uint64

	slot *slot // nil: it was freed
	name string
}

// Causes of errors.
var (
	ErrNone = errors.New("no such block is kept")

	errName  = fmt.Errorf("the name must have 1 to %d bytes", NameBytes)
	errTwice = errors.New("a block of that name is kept already: free it, or take another name")
	errFull  = fmt.Errorf("%d blocks are kept: free some, or put more into one", Blocks)
)

// Take is how memory for a block is got: at least so many bytes, zeros, that others can attach, and its place.
type Take func(bytes int) (mem []byte, at uint64, err error)

// Keep keeps a block of zeros, for a rank of the job.
func (h *Home) Keep(root *job.Root, rank int, take Take, name string, bytes, unit int) (*Block, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(name) == 0 || len(name) > NameBytes {
		return nil, errName
	}
	if h.blocks[name] != nil {
		return nil, errTwice
	}
	if err := h.open(root, rank, take); err != nil {
		return nil, err
	}
	for i := range h.own {
		if s := &h.own[i]; s.state.Load() == 0 {
			return h.fill(s, take, name, bytes, unit)
		}
	}
	return nil, errFull
}

// open makes the directory. h.mu is held.
func (h *Home) open(root *job.Root, rank int, take Take) error {
	if h.own != nil {
		return nil
	}
	mem, at, err := take(directorySize)
	if err == nil {
		h.own, h.blocks = directoryIn(mem), map[string]*Block{}
		job.SetKept(root, rank, at)
	}
	return err
}

// fill makes the block of a slot. h.mu is held.
func (h *Home) fill(s *slot, take Take, name string, bytes, unit int) (*Block, error) {
	all, at, err := take(bytes)
	if err != nil {
		return nil, err
	}
	b := &Block{Memory: all[:bytes:bytes], All: all, At: at, slot: s, name: name}
	h.blocks[name] = b
	s.version.Store(0)
	s.unit, s.at, s.mapped, s.bytes = uint32(unit), at, uint64(len(all)), uint64(bytes)
	s.length = uint64(copy(s.name[:], name))
	s.state.Store(1)
	return b, nil
}

// Named returns the block of a name, nil if there is none.
func (h *Home) Named(name string) *Block {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.blocks[name]
}

// Free ends the keeping of a block. Its memory is the caller's then.
func (h *Home) Free(b *Block) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if b == nil || b.slot == nil {
		return ErrNone
	}
	b.slot.state.Store(0)
	b.slot, b.Memory = nil, nil
	delete(h.blocks, b.name)
	return nil
}

// SetVersion stores the version, after all that this goroutine has stored before. Of a block that was freed it does
// nothing.
func (b *Block) SetVersion(v int64) {
	if b.slot != nil {
		b.slot.version.Store(v)
	}
}

// Version is the version, 0 at first.
func (b *Block) Version() int64 {
	if b.slot == nil {
		return 0
	}
	return b.slot.version.Load()
}

// Left is a block of a rank that has failed.
type Left struct {
	Memory  []byte
	Unit    int
	Version int64
}

// Of returns the block that a rank has kept by a name. The rank has gone.
func Of(m btl.Memory, root *job.Root, rank int, name string) (left Left, err error) {
	at, ok := job.Kept(root, rank)
	if !ok {
		return left, ErrNone
	}
	mem, err := m.Attach(rank, at, directorySize)
	if err != nil {
		return left, err
	}
	d := directoryIn(mem)
	for i := range d {
		s := &d[i]
		if s.state.Load() == 0 || s.length > NameBytes || string(s.name[:s.length]) != name {
			continue
		}
		if mem, err = m.Attach(rank, s.at, int(s.mapped)); err != nil {
			return left, err
		}
		if s.bytes > uint64(len(mem)) {
			return left, fmt.Errorf("a block of %d bytes in %d is damaged", s.bytes, len(mem))
		}
		return Left{mem[:s.bytes:s.bytes], int(s.unit), s.version.Load()}, nil
	}
	return left, ErrNone
}
