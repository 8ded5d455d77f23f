package shared

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/shm"
)

// helper is a thread of the rank that does nothing but execute nodes.
type helper struct {
	mu     sync.Mutex
	closed atomic.Bool // written under mu
	done   chan struct{}
}

// StartHelper gives the rank a thread that helps whenever there is work and sleeps
// otherwise, until Close. In a job of one address space it executes nodes that were handed to
// this rank, and nodes that any executor may take. Else it makes progress for all operations of
// this rank. The Go runtime gets a further CPU for it, so that it need not wait for the program
// to pause.
func (e *Engine) StartHelper() {
	h := &e.helper
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done != nil || h.closed.Load() {
		return
	}
	h.done = make(chan struct{})
	go func() {
		defer close(h.done)
		defer shm.Dedicate()()
		if e.whole {
			e.help()
		} else {
			e.messages.Serve()
		}
	}()
}

// Helped tells whether the rank has a helper thread.
func (e *Engine) Helped() bool {
	e.helper.mu.Lock()
	defer e.helper.mu.Unlock()
	return e.helper.done != nil
}

// help helps until Close.
func (e *Engine) help() {
	for e.share.Helper.Wait(e.wanted) == nil && !e.helper.closed.Load() {
		for e.Pending() && !e.helper.closed.Load() {
			if !e.Help() {
				runtime.Gosched()
			}
		}
	}
}

// wanted tells a helper, which is about to sleep, whether it should not.
func (e *Engine) wanted() bool {
	setBit(&e.work.Helping, e.rank)
	return e.helper.closed.Load() || e.Pending()
}

// Close ends this rank's part in the graphs of others: it returns when the helper has
// ended, which must not die in the middle of something. Between processes the engine for
// messages is closed before, which ends the helper.
func (e *Engine) Close() {
	h := &e.helper
	h.mu.Lock()
	h.closed.Store(true)
	h.mu.Unlock()
	if h.done != nil {
		e.share.Helper.Signal()
		<-h.done
	}
}
