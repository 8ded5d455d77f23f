package net

import "github.com/gopvas/gopvas/shm"

// Attendance: what has come is looked at while the rank computes.
//
// The keeper of the endpoints drives them when the rank has made no call for some milliseconds. Then it attends: after
// each block that has come, or is done, it has the engine look (Attend). What ranks of the node send comes by the
// inbox. So while the keeper drives, the watcher counts as a sleeper of the inbox: it wakes the keeper when the count
// has changed, and that is news.
//
// No message of the node waits for the next call. The keeper enlists the watcher, as W1 of shm.Event, and then looks,
// as W3. A notification that comes later finds a sleeper and changes the count, which the watcher follows.
//
// The rank takes over as soon as it waits: it deposes the keeper, whose last look may go on meanwhile under the
// engine's lock. Who looks holds no lock of suci.

// Attend implements btl.Capabilities. The two goroutines get a slot of GOMAXPROCS, so that they need not wait for the
// program to pause.
func (m *Module) Attend(look func() (waits bool)) {
	if m.look.CompareAndSwap(nil, &look) {
		shm.Attend(0, 1)
		m.endpoint.Wake() // a keeper that drives enlists the watcher
	}
}

// onNews is called by the keeper of the endpoints. News goes to the inbox once until the rank looks (sort), which it
// does before it sleeps. A signal for each block would have the watcher wake the keeper, which has news then, and so
// on.
func (m *Module) onNews() {
	first := !m.fresh.Swap(true)
	look := m.look.Load()
	if look != nil && !m.kept {
		m.kept = true
		m.inbox.Enlist(1)
	}
	waits := look == nil || (*look)()
	if waits && first { // somebody may wait for what has come
		m.inbox.Signal()
	}
}

// onKeep is called by the keeper, when it begins to drive and when it ends that.
func (m *Module) onKeep(keeps bool) {
	switch {
	case keeps && m.look.Load() != nil:
		m.onNews()
	case !keeps && m.kept:
		m.kept = false
		m.inbox.Enlist(-1)
	}
}
