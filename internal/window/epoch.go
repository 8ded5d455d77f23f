package window

// The access epoch is one of these states. What calls make of them:
//
//	| call      | from                | to                             |
//	|-----------|---------------------|--------------------------------|
//	| Fence     | idle fenced active  | fenced; with NoSucceed: idle   |
//	| operation | fenced              | active                         |
//	| Start     | idle fenced         | started                        |
//	| Complete  | started             | idle                           |
//	| Lock      | idle fenced locked  | locked                         |
//	| Unlock    | locked              | locked; after the last: idle   |
//	| LockAll   | idle fenced         | lockedAll                      |
//	| UnlockAll | lockedAll           | idle                           |
//	| Free      | idle fenced         | over                           |
//
// In fenced the epoch of Fence has begun, or not: that is for the next call to say. Operations are allowed in all but
// idle and over, to the targets that are named.
const (
	idle int32 = iota
	fenced
	active
	started
	locked
	lockedAll
	over
)

// begins are the calls that begin an access epoch, and ends those that end it.
var begins = [...]call{active: "Fence", started: "Start", locked: "Lock", lockedAll: "LockAll"}

var ends = [...]call{active: "Fence", started: "Complete", locked: "Unlock", lockedAll: "UnlockAll"}

// Assert is what the program promises of an epoch.
type Assert int

// The assertions. Only NoCheck, and NoPrecede with NoSucceed, change what is done.
const (
	NoCheck Assert = 1 << iota
	NoStore
	NoPut
	NoPrecede
	NoSucceed
)

// mayBegin returns an error unless an epoch of the call can begin. The caller holds w.mu.
func (w *Window) mayBegin(c call) error {
	switch state := w.access.Load(); state {
	case idle, fenced:
		return nil
	case over:
		return ErrFreed
	default:
		return syncError("%s within another access epoch: end that by %s", c, ends[state])
	}
}

// expect returns an error unless the access epoch is this one. The caller holds w.mu.
func (w *Window) expect(c call, state int32, begun call) error {
	switch w.access.Load() {
	case state:
		return nil
	case over:
		return ErrFreed
	}
	return syncError("%s without %s", c, begun)
}

// permit returns nil if an operation on a target is allowed now. It waits while a rank has the lock of the target alone
// and this one has that of all.
func (w *Window) permit(rank int) error {
	switch w.access.Load() {
	case active:
		return nil
	case fenced:
		w.access.CompareAndSwap(fenced, active)
		return nil
	case started, locked:
		if w.marks.get(rank)&open == 0 {
			return syncError("an operation on a target that is not in the epoch: name it in %s, or call %s", "Start",
				"Lock")
		}
		return nil
	case lockedAll:
		if holder(w.records[rank].lock.Load()) >= 0 && !w.noCheck {
			return w.free(rank)
		}
		return nil
	case over:
		return ErrFreed
	}
	return syncError("an operation outside of an epoch: call %s, %s, %s or %s first", "Fence", "Start", "Lock",
		"LockAll")
}

// Passive returns nil if the epoch of an operation on a rank is one of locks, or there is none: requests are for such
// epochs.
func (w *Window) Passive(rank int) error {
	state := w.access.Load()
	if state == fenced {
		state = active
	}
	if state != active && state != started {
		return nil
	}
	return w.wrap("begin a request", rank, syncError("an operation with a request within the epoch of %s: requests "+
		"are for those of %s and %s", begins[state], "Lock", "LockAll"))
}
