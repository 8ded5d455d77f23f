package capi

import (
	"errors"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/window"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi/fault"
)

// windowObject is what a handle of a window stands for.
type windowObject struct {
	w          *window.Window
	handle     Win
	handler    *errhandler
	made       origin
	attributes attributes
	predefined [WIN_MODEL - WIN_BASE + 1]attributeValue
}

// window returns the window of a handle.
func (p *Process) window(h Win) (*windowObject, error) {
	if o := p.windows.get(uintptr(h)); o != nil {
		return o, nil
	}
	return nil, wrongHandle(kindWin, uintptr(h))
}

// title names the window for messages to people.
func (o *windowObject) title() string {
	if name := o.w.Name(); name != "" {
		return name
	}
	return o.made.object("window", uintptr(o.handle))
}

// makeWindow makes a window. What is wrong with the arguments of one rank is an error of all.
func (p *Process) makeWindow(c Comm, s window.Spec, info Info, out Ptr[Win]) (*windowObject, error) {
	on, err := p.intra(c)
	if err != nil {
		return nil, err
	}
	out.Set(WIN_NULL)
	s.Hints, err = p.hints(info)
	s.Wrong = errors.Join(s.Wrong, err)
	w, err := window.New(on.c, s)
	if err != nil {
		return nil, err
	}
	if w.Serves() {
		Share()
	}
	o := &windowObject{w: w, handler: areFatal, made: p.here()}
	o.handle = Win(p.windows.add(o))
	o.describe(s.Flavor)
	shorten(o)
	out.Set(o.handle)
	return o, nil
}

// describe sets the predefined attributes.
func (o *windowObject) describe(f window.Flavor) {
	m := o.w.Own()
	flavors := [...]int{window.Created: WIN_FLAVOR_CREATE, window.Allocated: WIN_FLAVOR_ALLOCATE,
		window.Shared: WIN_FLAVOR_SHARED, window.Dynamic: WIN_FLAVOR_DYNAMIC}
	set := func(key int, v attributeValue) { o.predefined[key-WIN_BASE] = v }
	set(WIN_BASE, attributeValue{pointer: Address(m.Base)})
	set(WIN_SIZE, integerValue(uintptr(m.Bytes), inAddressSize))
	set(WIN_DISP_UNIT, integerValue(uintptr(o.w.Unit()), inInteger))
	set(WIN_CREATE_FLAVOR, integerValue(uintptr(flavors[f]), inInteger))
	set(WIN_MODEL, integerValue(uintptr(WIN_UNIFIED), inInteger))
}

// Win_create is MPI_Win_create.
func (p *Process) Win_create(base Address, size, unit int, info Info, c Comm, out Ptr[Win]) error {
	s := window.Spec{Flavor: window.Created, Bytes: size, Unit: unit}
	switch {
	case size > 0 && base.nowhere():
		s.Wrong = fail(ERR_BASE, "the memory is a null pointer, but its size is %d", size)
	case size == 0:
		s.Base = uintptr(base)
	case size > 0:
		s.Memory = base.Bytes(size)
	}
	_, err := p.makeWindow(c, s, info, out)
	return err
}

// Win_create_dynamic is MPI_Win_create_dynamic.
func (p *Process) Win_create_dynamic(info Info, c Comm, out Ptr[Win]) error {
	_, err := p.makeWindow(c, window.Spec{Flavor: window.Dynamic, Unit: 1}, info, out)
	return err
}

// Win_allocate is MPI_Win_allocate.
func (p *Process) Win_allocate(size, unit int, info Info, c Comm, base AddressRef, out Ptr[Win]) error {
	return p.allocateWindow(window.Allocated, size, unit, info, c, base, out)
}

// Win_allocate_shared is MPI_Win_allocate_shared.
func (p *Process) Win_allocate_shared(size, unit int, info Info, c Comm, base AddressRef, out Ptr[Win]) error {
	return p.allocateWindow(window.Shared, size, unit, info, c, base, out)
}

func (p *Process) allocateWindow(f window.Flavor, size, unit int, info Info, c Comm, base AddressRef,
	out Ptr[Win]) error {
	o, err := p.makeWindow(c, window.Spec{Flavor: f, Bytes: size, Unit: unit}, info, out)
	if err == nil {
		base.Set(o.predefined[0].pointer)
	}
	return err
}

// Win_free is MPI_Win_free.
func (p *Process) Win_free(h Ptr[Win]) error {
	o, err := p.window(h.Get())
	if err == nil {
		err = o.w.MayFree()
	}
	if err == nil {
		err = p.deleteAll(uintptr(o.handle), &o.attributes)
	}
	if err != nil {
		return err
	}
	lengthen(o)
	if err = o.w.Free(); err == nil { // else its error handler is asked
		p.windows.remove(uintptr(o.handle))
		h.Set(WIN_NULL)
	}
	return err
}

// Win_shared_query is MPI_Win_shared_query. MPI_PROC_NULL is the first rank that has memory.
func (p *Process) Win_shared_query(o *windowObject, rank int, size, unit Ref, base AddressRef) error {
	to, err := peerIn(rank)
	if err != nil {
		return err
	}
	m, err := o.w.Query(to)
	if err != nil {
		return err
	}
	size.Set(m.Bytes)
	unit.SetCount(m.Unit)
	base.Set(Address(m.Base))
	return nil
}

// X_Keep keeps a block of bytes, zeros, by a name, for those that outlive this process. Its version is 0 at first.
func (p *Process) X_Keep(h Comm, name CString, size int, base AddressRef) error {
	c, err := p.comm(h)
	if err != nil {
		return err
	}
	if size < 0 {
		return fail(ERR_SIZE, "size %d is negative", size)
	}
	b, err := comm.Keep(c.c, name.String(), size, 1)
	if errors.Is(err, comm.ErrNoRoom) {
		return fail(ERR_NO_MEM, "%v", err)
	}
	if err == nil {
		base.Set(Address(sys.AddrOf(b.Memory)))
	}
	return classed(err, ERR_ARG)
}

// X_Keep_version stores the version of a block, after all that this thread has stored before.
func (p *Process) X_Keep_version(h Comm, name CString, version int) error {
	c, err := p.comm(h)
	if err != nil {
		return err
	}
	b, err := comm.KeptHere(c.c, name.String())
	if err == nil {
		b.SetVersion(int64(version))
	}
	return err
}

// X_Kept is the block that a rank had kept by a name when it failed, and its version.
func (p *Process) X_Kept(h Comm, rank int, name CString, size Ref, base AddressRef, version Ref) error {
	c, err := p.comm(h)
	if err != nil {
		return err
	}
	left, err := comm.KeptOf(c.c, rank, name.String())
	if err == nil {
		size.Set(len(left.Memory))
		base.Set(Address(sys.AddrOf(left.Memory)))
		version.Set(int(left.Version))
	}
	return classed(err, ERR_ARG)
}

// X_Keep_free frees the block of a name.
func (p *Process) X_Keep_free(h Comm, name CString) error {
	c, err := p.comm(h)
	if err != nil {
		return err
	}
	b, err := comm.KeptHere(c.c, name.String())
	if err != nil {
		return err
	}
	return comm.Unkeep(c.c, b)
}

// Win_get_attr is MPI_Win_get_attr.
func (p *Process) Win_get_attr(o *windowObject, key int, value AddressRef, flag Ref, as Language) error {
	if key := predefinedKey(key); key >= WIN_BASE && key <= WIN_MODEL {
		wantedValue{value, as}.set(o.predefined[key-WIN_BASE])
		flag.SetBool(true)
		return nil
	}
	return p.getAttribute(kindWin, &o.attributes, key, wantedValue{value, as}, flag)
}

// Win_set_name is MPI_Win_set_name.
func (p *Process) Win_set_name(o *windowObject, name CString) error {
	text, err := name.given()
	if err == nil {
		o.w.SetName(text)
	}
	return err
}

// Win_get_name is MPI_Win_get_name. The null handle has a name, too.
func (p *Process) Win_get_name(h Win, name OutString, length Ref) error {
	text := "MPI_WIN_NULL"
	if h != WIN_NULL {
		o, err := p.window(h)
		if err != nil {
			return err
		}
		text = o.w.Name()
	}
	length.Set(name.Set(text, MAX_OBJECT_NAME))
	return nil
}

// Win_test is MPI_Win_test.
func (p *Process) Win_test(o *windowObject, flag Ref) error {
	done, err := o.w.Test()
	flag.SetBool(done)
	return err
}

// asserted is what the program promises of an epoch.
func asserted(mode int) (a window.Assert, err error) {
	for _, m := range []struct {
		mode int
		is   window.Assert
	}{{MODE_NOCHECK, window.NoCheck}, {MODE_NOSTORE, window.NoStore}, {MODE_NOPUT, window.NoPut},
		{MODE_NOPRECEDE, window.NoPrecede}, {MODE_NOSUCCEED, window.NoSucceed}} {
		if mode&m.mode != 0 {
			mode, a = mode&^m.mode, a|m.is
		}
	}
	if mode != 0 {
		return 0, fail(ERR_ASSERT, "the assertion has the bits %#x, which mean nothing here", mode)
	}
	return a, nil
}

// lockAlone tells whether a lock excludes all others.
func lockAlone(kind int) (bool, error) {
	if kind != LOCK_EXCLUSIVE && kind != LOCK_SHARED {
		return false, fail(ERR_LOCKTYPE, "the lock type is %d: pass MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED", kind)
	}
	return kind == LOCK_EXCLUSIVE, nil
}

// windowClasses are the error classes of causes.
var windowClasses = []struct {
	is    error
	class int
}{
	{window.ErrSync, ERR_RMA_SYNC}, {window.ErrConflict, ERR_RMA_CONFLICT}, {window.ErrRange, ERR_RMA_RANGE},
	{window.ErrUnit, ERR_DISP},
	{window.ErrSize, ERR_SIZE}, {window.ErrArgument, ERR_ARG}, {window.ErrFlavor, ERR_RMA_FLAVOR},
	{window.ErrAttach, ERR_RMA_ATTACH}, {window.ErrDetach, ERR_RMA_ATTACH}, {window.ErrFreed, ERR_WIN},
	{window.ErrLength, ERR_TRUNCATE}, {comm.ErrSeveralNodes, ERR_RMA_SHARED},
	{comm.ErrNoRoom, ERR_NO_MEM},
}

// windowClass is the error class of an error of a window.
func windowClass(e *fault.WindowError) int {
	for _, c := range windowClasses {
		if errors.Is(e, c.is) {
			return c.class
		}
	}
	return ERR_OTHER
}
