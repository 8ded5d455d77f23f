package capi

import (
	"math"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
)

// attributes are the values that the program keeps with an object, in the order in which
// they were first set. One thread at a time changes those of an object.
type attributes struct {
	values []attribute
	ending bool // the object ends, and functions of the program are called for its values
}

type attribute struct {
	key   *keyval
	value attributeValue
}

// keyval is a key of attributes.
type keyval struct {
	number       int
	refs         int        // attributes, and the program's handle if it is not freed
	freed        bool       // the program has freed it
	of           handleKind // of what objects
	copy, delete Func
	extra        Address
	language     Language // of copy and delete
}

// Callbacks that are constants of the ABI.
const (
	nullFunction = 0 // copies nothing, deletes without asking
	dupFunction  = 1 // copies the value
)

// keyvals are the keys of the program by their numbers.
type keyvals struct {
	mu    sync.Mutex
	next  int
	known map[int]*keyval
}

// firstKeyval is above the numbers of the predefined attributes.
const firstKeyval = 0x400

func (k *keyvals) create(key keyval) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known, k.next = map[int]*keyval{}, firstKeyval
	}
	key.number, key.refs = k.next, 1
	k.next++
	k.known[key.number] = &key
	return key.number
}

// newKeyval makes a key for objects of a kind.
func (p *Process) newKeyval(of handleKind, copy, delete Func, extra Address, in Language) int {
	return p.keyvals.create(keyval{of: of, copy: copy, delete: delete, extra: extra, language: in})
}

// get returns a key for objects of a kind.
func (k *keyvals) get(of handleKind, number int) (*keyval, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := k.known[number]
	switch {
	case number == KEYVAL_INVALID:
		return nil, fail(ERR_KEYVAL, "the key is MPI_KEYVAL_INVALID")
	case number < firstKeyval:
		return nil, fail(ERR_KEYVAL, "the key %d is predefined: its attribute can only be read", number)
	case key == nil:
		return nil, fail(ERR_KEYVAL, "the key %d was freed, or never made", number)
	case key.of != of:
		return nil, fail(ERR_KEYVAL, "the key %d is for a %s, not a %s", number, kindNames[key.of], kindNames[of])
	}
	return key, nil
}

// at is the key of a number, nil if there is none.
func (k *keyvals) at(number int) *keyval {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.known[number]
}

// free takes the program's handle of a key away. While there are attributes of it, they can be read and deleted, and
// the number can be freed as before.
func (k *keyvals) free(of handleKind, number Ref) error {
	key, err := k.get(of, number.Get())
	if err != nil {
		return err
	}
	if number.Set(KEYVAL_INVALID); !key.freed {
		key.freed = true
		k.drop(key)
	}
	return nil
}

// left returns how many keys the program has and has not freed.
func (k *keyvals) left() (n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range k.known {
		if !key.freed {
			n++
		}
	}
	return n
}

// hold counts one more attribute of a key.
func (k *keyvals) hold(key *keyval) {
	k.mu.Lock()
	key.refs++
	k.mu.Unlock()
}

// drop counts one less.
func (k *keyvals) drop(key *keyval) {
	k.mu.Lock()
	if key.refs--; key.refs == 0 {
		delete(k.known, key.number)
	}
	k.mu.Unlock()
}

// find returns where the attribute of a key is, -1 if there is none.
func (a *attributes) find(key *keyval) int {
	return slices.IndexFunc(a.values, func(v attribute) bool { return v.key == key })
}

// setAttribute gives the object of a handle a value, in place of the one it has.
func (p *Process) setAttribute(of handleKind, object uintptr, a *attributes, number int, value attributeValue) error {
	key, err := p.keyvals.get(of, number)
	if err != nil {
		return err
	}
	if key.freed {
		return fail(ERR_KEYVAL, "the key %d was freed: its attributes can only be read and deleted", number)
	}
	p.keyvals.hold(key) // the callback may delete the attribute, and free the key
	if i := a.find(key); i >= 0 {
		if err := p.deleted(object, a.values[i]); err != nil {
			p.keyvals.drop(key)
			return err
		}
		if i = a.find(key); i >= 0 { // where it was, or not: the callback may have deleted others
			a.values[i].value.replace(value)
			p.keyvals.drop(key)
			return nil
		}
	}
	a.values = append(a.values, attribute{key, value})
	return nil
}

// getAttribute tells the value that an object has for a key.
func (p *Process) getAttribute(of handleKind, a *attributes, number int, value wantedValue, flag Ref) error {
	key, err := p.keyvals.get(of, number)
	if err != nil {
		return err
	}
	i := a.find(key)
	if i >= 0 {
		value.set(a.values[i].value)
	}
	flag.SetBool(i >= 0)
	return nil
}

// deleteAttribute takes the value for a key from an object.
func (p *Process) deleteAttribute(of handleKind, object uintptr, a *attributes, number int) error {
	key, err := p.keyvals.get(of, number)
	if err != nil {
		return err
	}
	i := a.find(key)
	if i < 0 {
		return fail(ERR_KEYVAL, "there is no attribute of the key %d", number)
	}
	if err := p.deleted(object, a.values[i]); err != nil {
		return err
	}
	p.remove(a, key)
	return nil
}

// remove takes an attribute out of the list, after the program's function was called for it. That may
// have deleted others, and even this one.
func (p *Process) remove(a *attributes, key *keyval) {
	if i := a.find(key); i >= 0 {
		a.values = slices.Delete(a.values, i, i+1)
		p.keyvals.drop(key)
	}
}

// deleted calls the program's function for a value that an object is to lose.
func (p *Process) deleted(object uintptr, v attribute) error {
	if v.key.delete.Entry == nullFunction {
		return nil
	}
	code := Upcall(v.key.delete.Entry,
		[]uintptr{outward(object), uintptr(v.key.number), uintptr(v.value.as(v.key.language)), uintptr(v.key.extra)})
	return p.callbackError(code)
}

// callbackError is the error of a callback that has returned this.
func (p *Process) callbackError(code uintptr) error {
	if code := int(int32(code)); code != 0 {
		return &Error{Class: code, Text: "a callback of the program has failed: " + p.codes.asError(code).Error()}
	}
	return nil
}

// copyAll returns what a copy of the object is to have.
func (p *Process) copyAll(object uintptr, a *attributes) (copies attributes, err error) {
	add := func(key *keyval, value attributeValue) {
		p.keyvals.hold(key)
		copies.values = append(copies.values, attribute{key, value})
	}
	for _, v := range slices.Clone(a.values) {
		switch {
		case a.find(v.key) < 0: // a callback has deleted it
		case v.key.copy.Entry == nullFunction:
		case v.key.copy.Entry == dupFunction:
			add(v.key, v.value.copied())
		default:
			p.keyvals.hold(v.key) // the callback may delete the attribute, and free the key
			cells := newCells(2)  // the new value, and the flag
			code := Upcall(v.key.copy.Entry, []uintptr{outward(object), uintptr(v.key.number), uintptr(v.key.extra),
				uintptr(v.value.as(v.key.language)), addressOf(cells, 0), addressOf(cells, 1)})
			err := p.callbackError(code)
			if err == nil && int32(cells[1]) != 0 {
				add(v.key, v.value.madeBy(v.key.language, uintptr(cells[0])))
			}
			p.keyvals.drop(v.key)
			if err != nil {
				p.forget(copies)
				return attributes{}, err
			}
		}
	}
	return copies, nil
}

// forget gives up what copyAll has returned, for an object that was not made.
func (p *Process) forget(copies attributes) {
	for _, v := range copies.values {
		p.keyvals.drop(v.key)
	}
}

// deleteAll takes all values from an object that ends, the last first, up to one whose callback fails. A callback that
// ends the object again gets an error.
func (p *Process) deleteAll(object uintptr, a *attributes) error {
	if a.ending {
		return fail(ERR_OTHER, "a function that deletes an attribute may not free what has the attribute: that is "+
			"being freed already")
	}
	a.ending = true
	defer func() { a.ending = false }()
	for len(a.values) > 0 {
		v := a.values[len(a.values)-1]
		if err := p.deleted(object, v); err != nil {
			return err
		}
		p.remove(a, v.key)
	}
	return nil
}

// TAG_UB is the first of the predefined keys of communicators, and this is the last one.
const lastKey = max(UNIVERSE_SIZE, APPNUM)

// predefinedKey is a predefined key as C has it. In a face with ints it is an odd number, and the next one in Fortran.
func predefinedKey(key int) int {
	if handlesAreInts {
		return key - 1 | 1
	}
	return key
}

// Comm_get_attr is MPI_Comm_get_attr. The predefined attributes are those of all communicators, but
// for the Sessions Model, which has MPI_TAG_UB only.
func (p *Process) Comm_get_attr(on *communicator, key int, value AddressRef, flag Ref, as Language) error {
	if known := predefinedKey(key); known >= TAG_UB && known <= lastKey || known == FT {
		v, ok := p.predefinedAttribute(known)
		if ok = ok && (known == TAG_UB || !on.sessions); ok {
			wantedValue{value, as}.set(v)
		}
		flag.SetBool(ok)
		return nil
	}
	return p.getAttribute(kindComm, &on.attributes, key, wantedValue{value, as}, flag)
}

// predefinedAttribute returns the value of a predefined attribute; ok tells whether there is one.
func (p *Process) predefinedAttribute(key int) (v attributeValue, ok bool) {
	value := 0
	switch key {
	case TAG_UB:
		value = comm.MaxTag
	case IO:
		value = ANY_SOURCE // every rank
	case HOST:
		value = PROC_NULL
	case WTIME_IS_GLOBAL:
	case LASTUSEDCODE:
		value = p.codes.lastUsed()
	case UNIVERSE_SIZE:
		value = comm.Root(p.world.c).Universe()
	case APPNUM:
		app, err := strconv.Atoi(os.Getenv(job.EnvApp))
		if err != nil || comm.Root(p.world.c).Alone() {
			return v, false // nobody has started this process
		}
		value = app
	case FT:
		value = boolInt(job.Survives(comm.Root(p.world.c)))
	default:
		return v, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	cell := p.predefined[key]
	if cell == nil {
		if p.predefined == nil {
			p.predefined = map[int]*[1]uint64{}
		}
		cell = (*[1]uint64)(newCells(1))
		p.predefined[key] = cell
	}
	cell[0] = uint64(min(value, math.MaxInt32))
	return attributeValue{set: inInteger, integer: cell}, true
}
