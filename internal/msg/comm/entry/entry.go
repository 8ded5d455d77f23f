package entry

import (
	"sync"
	"sync/atomic"
)

// Entry is that of a communicator. The zero Entry is free.
type Entry struct {
	held  atomic.Uint32
	racer atomic.Pointer[racer] // the last call that found another one inside
	queue sync.Mutex            // one racer at a time waits for held
	call  string                // the call inside, or the last one
	met   string                // the call that this one has found inside; "": none
}

// racer is a call that waits for another one to leave.
type racer struct {
	call string
	free chan struct{} // holds one token
}

// Held is other than 0 while a goroutine is inside.
func (e *Entry) Held() *atomic.Uint32 { return &e.held }

// Raced tells whether a call waits for another one to leave.
func (e *Entry) Raced() bool { return e.racer.Load() != nil }

// Enter lets a goroutine in that makes a call. It returns false if another one is inside: Race is next.
func (e *Entry) Enter(call string) (alone bool) {
	if !e.held.CompareAndSwap(0, 1) {
		return false
	}
	e.call = call
	return true
}

// Race enters behind another call.
func (e *Entry) Race(call string) {
	r := &racer{call, make(chan struct{}, 1)}
	e.queue.Lock()
	defer e.queue.Unlock()
	for e.racer.Store(r); !e.held.CompareAndSwap(0, 1); e.racer.Store(r) {
		<-r.free
	}
	e.met, e.call = e.call, call
	e.racer.CompareAndSwap(r, nil)
}

// Leave lets the next one in. It returns the name of a call that was made at the same time; "" is none.
func (e *Entry) Leave() (other string) {
	if other = e.met; other != "" {
		e.met = ""
	}
	e.held.Store(0)
	if r := e.racer.Load(); r != nil {
		select {
		case r.free <- struct{}{}:
		default:
		}
		other = r.call
	}
	return other
}
