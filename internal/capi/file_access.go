package capi

import (
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/file"
)

// fileAccess is a way to access a file.
type fileAccess struct {
	write bool
	do    func(*file.File, *file.Access) (int, error)
}

var (
	reads       = fileAccess{false, (*file.File).Do}
	writes      = fileAccess{true, (*file.File).Do}
	readsAll    = fileAccess{false, (*file.File).DoAll}
	writesAll   = fileAccess{true, (*file.File).DoAll}
	readsBegin  = fileAccess{false, (*file.File).Begin} // of split collective operations
	writesBegin = fileAccess{true, (*file.File).Begin}
)

// access does an access, and writes the status.
func (o *openFile) access(way fileAccess, place file.Place, at Address, count int, t Type, status Status) error {
	n, err := o.bytes(way, place, at, count, t)
	status.setBytes(n)
	return err
}

// bytes does an access, and returns the number of bytes in memory that were moved. What is wrong with the arguments of
// one rank is, in a collective call, an error of all.
func (o *openFile) bytes(way fileAccess, place file.Place, at Address, count int, t Type) (int, error) {
	a := &file.Access{Write: way.write, Place: place}
	c := &conversion{toFile: way.write, handle: t, count: count, at: at}
	if c.t, a.Wrong = process.messageType(t); a.Wrong == nil {
		a.Memory, a.Wrong = c.t.memory(at, count)
	}
	if a.Wrong != nil || o.datarep.convert == nil {
		return way.do(o.f, a)
	}
	return o.datarep.access(o.f, way, a, c)
}

// accessed does an access of this rank alone, and hands out a request for it that is over. Others need not take part
// in it, so it may be the whole of a nonblocking operation, a collective one too.
func (p *Process) accessed(o *openFile, way fileAccess, place file.Place, at Address, count int, t Type,
	out Ptr[Request]) error {
	out.Set(REQUEST_NULL) // for a program that goes on after an error
	n, err := o.bytes(way, place, at, count, t)
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
func (o *openFile) begin(way fileAccess, place file.Place, at Address, count int, t Type) error {
	n, err := o.bytes(way, place, at, count, t)
	if err == nil {
		o.begun = n
	}
	return err
}

// end ends a split collective operation.
func (o *openFile) end(way fileAccess, place file.Place, _ Address, status Status) error {
	err := o.f.End(way.write, place)
	if err == nil {
		status.setBytes(o.begun)
	}
	return err
}
