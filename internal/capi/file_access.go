package capi

import (
	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/internal/file"
)

// fileAccess is a way to access a file.
type fileAccess struct {
	write bool
	move  func(*file.File, file.Place, *comm.Buffer) (int, error)
}

var (
	reads     = fileAccess{false, (*file.File).Read}
	writes    = fileAccess{true, (*file.File).Write}
	readsAll  = fileAccess{false, (*file.File).ReadAll}
	writesAll = fileAccess{true, (*file.File).WriteAll}

	// Of split collective operations.
	readsBegin  = fileAccess{false, beginWith(false)}
	writesBegin = fileAccess{true, beginWith(true)}
)

// beginWith is a move that has only begun when it returns. Its bytes are there nevertheless.
func beginWith(write bool) func(*file.File, file.Place, *comm.Buffer) (int, error) {
	return func(f *file.File, place file.Place, b *comm.Buffer) (int, error) { return f.Begin(write, place, b) }
}

// access does an access, and writes the status.
func (o *openFile) access(a fileAccess, place file.Place, at Address, count int, t Type, status Status) error {
	n, err := o.bytes(a, place, at, count, t)
	status.setEmpty()
	if !status.Ignored() {
		status.SetBytes(n)
	}
	return err
}

// bytes does an access, and returns the number of bytes in memory that were moved.
func (o *openFile) bytes(a fileAccess, place file.Place, at Address, count int, t Type) (int, error) {
	element, err := process.messageType(t)
	if err != nil {
		return 0, err
	}
	memory, err := element.memory(at, count)
	if err != nil {
		return 0, err
	}
	return o.datarep.move(o.f, a, place, &conversion{t: element, handle: t, count: count, at: at, memory: &memory})
}

// accessed does an access of this rank alone, and hands out a request for it that is over. Others need not take part
// in it, so it may be the whole of a nonblocking operation, a collective one too.
func (p *Process) accessed(o *openFile, a fileAccess, place file.Place, at Address, count int, t Type,
	out Ptr[Request]) error {
	n, err := o.bytes(a, place, at, count, t)
	if err != nil {
		return err
	}
	g, r, err := comm.NewGeneralized(p.world.c)
	if err != nil {
		return err
	}
	over := &grequest{g: g, bytes: n}
	over.ends.Store(grequestComplete)
	if err := p.begun(r, newOwner(&owner{on: p.self, grequest: over}), out); err != nil {
		return err
	}
	g.Complete()
	return nil
}

// begin begins a split collective operation.
func (o *openFile) begin(a fileAccess, place file.Place, at Address, count int, t Type) error {
	begins := readsBegin
	if a.write {
		begins = writesBegin
	}
	n, err := o.bytes(begins, place, at, count, t)
	if err == nil {
		o.begun = n
	}
	return err
}

// end ends a split collective operation.
func (o *openFile) end(a fileAccess, place file.Place, _ Address, status Status) error {
	_, err := o.f.End(a.write, place)
	status.setEmpty()
	if err == nil && !status.Ignored() {
		status.SetBytes(o.begun)
	}
	return err
}
