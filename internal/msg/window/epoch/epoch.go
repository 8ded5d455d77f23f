package epoch

import (
	"sync"
	"sync/atomic"
)

// Access is a state of the access epoch. What calls make of it:
//
//	| call      | from                | to                             |
//	|-----------|---------------------|--------------------------------|
//	| Fence     | idle fenced active  | fenced; with NoSucceed: idle   |
//	| operation | fenced              | active                         |
//	| Start     | idle fenced         | started                        |
//	| Complete  | started             | idle                           |
//	| Lock      | idle fenced locked  | locked                         |
//	| Unlock    | locked              | locked; after the last: idle   |
//	| LockAll   | idle fenced         | locked all                     |
//	| UnlockAll | locked all          | idle                           |
//	| Free      | idle fenced         | over                           |
//
// In fenced the epoch of Fence has begun, or not: that is for the next call to say. Operations are allowed in all but
// idle and over, to the targets that are named.
type Access = int32

// The states.
const (
	Idle Access = iota
	Fenced
	Active
	Started
	Locked
	LockedAll
	Over
)

// Begins are the calls that begin an access epoch, and ends those that end it.
var Begins = [...]Call{Active: "Fence", Started: "Start", Locked: "Lock", LockedAll: "LockAll"}

var ends = [...]Call{Active: "Fence", Started: "Complete", Locked: "Unlock", LockedAll: "UnlockAll"}

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

// State is the epochs of a rank in a window. A call that is not allowed changes nothing.
type State struct {
	access atomic.Int32 // the face for C, with one thread, reads and changes access, locks and marks, too
	locks  int32        // targets that are locked
	marks  marks        // of the targets of the access epoch

	mu      sync.Mutex // guards what follows, and changes of the above but for those by operations and that face
	ranks   int
	freed   error
	noCheck bool  // the lock of all targets is not taken; written before access, by which others find it
	started []int // the targets of Start
	exposed bool
	origins []int // of Post, whose end is yet to come
}

// Init begins with no epoch, in a window of so many ranks. freed is the error of calls after Free.
func (s *State) Init(ranks int, freed error) { s.ranks, s.freed = ranks, freed }

// Access is the access epoch.
func (s *State) Access() Access { return s.access.Load() }

// Freed tells whether the window is no more.
func (s *State) Freed() bool { return s.access.Load() == Over }

// mayBegin returns an error unless an access epoch of the call can begin.
func (s *State) mayBegin(c Call) error {
	switch access := s.access.Load(); access {
	case Idle, Fenced:
		return nil
	case Over:
		return s.freed
	default:
		return Error("%s within another access epoch: end that by %s", c, ends[access])
	}
}

// expect returns an error unless the access epoch is this one.
func (s *State) expect(c Call, access Access, begun Call) error {
	switch s.access.Load() {
	case access:
		return nil
	case Over:
		return s.freed
	}
	return Error("%s without %s", c, begun)
}

// Permit returns nil if an operation on a target is allowed now. all says that it is so by the lock of all targets:
// then the operation waits while a rank has that of the target alone.
func (s *State) Permit(rank int) (all bool, err error) {
	switch s.access.Load() {
	case Active:
		return false, nil
	case Fenced:
		s.access.CompareAndSwap(Fenced, Active)
		return false, nil
	case Started, Locked:
		if s.marks.get(rank)&Open == 0 {
			return false, Error("an operation on a target that is not in the epoch: name it in %s, or call %s",
				"Start", "Lock")
		}
		return false, nil
	case LockedAll:
		return !s.noCheck, nil
	case Over:
		return false, s.freed
	}
	return false, Error("an operation outside of an epoch: call %s, %s, %s or %s first", "Fence", "Start", "Lock",
		"LockAll")
}

// Passive returns nil if the access epoch is one of locks, or there is none: requests are for such epochs.
func (s *State) Passive() error {
	access := s.access.Load()
	if access == Fenced {
		access = Active
	}
	if access != Active && access != Started {
		return nil
	}
	return Error("an operation with a request within the epoch of %s: requests are for those of %s and %s",
		Begins[access], "Lock", "LockAll")
}

// MayFree returns nil if the window is not in use. A broken one may be: its epochs cannot end otherwise.
func (s *State) MayFree(broken bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mayFree(broken)
}

func (s *State) mayFree(broken bool) error {
	switch access := s.access.Load(); {
	case access == Over:
		return s.freed
	case broken:
		return nil
	case access != Idle && access != Fenced:
		return Error("the window is freed within an access epoch: end that by %s", ends[access])
	case s.exposed:
		return Error("the window is freed within an exposure epoch: call %s first", "Wait")
	}
	return nil
}

// Free ends all epochs for good.
func (s *State) Free(broken bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.mayFree(broken)
	if err == nil {
		s.access.Store(Over)
	}
	return err
}
