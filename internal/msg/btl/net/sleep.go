package net

import (
	"time"

	"github.com/gopvas/gopvas/shm"
)

// watch has a rank that sleeps in its socket learn of what happens to its inbox.
//
// A notifier makes its condition true, finds that the inbox has a sleeper, counts (N2), and
// wakes those who sleep on the count (N3). The rank registers as a sleeper (W1), reads the
// count (W2), asks ready (W3) and compares the count once more (B1). Then it sleeps in the
// socket until that has packets or the endpoint's waker was used (B2). The watcher reads the
// count (K1). If the count is not what it was at the last K1, it uses the waker (K2). Else it
// sleeps until the count has changed (K3).
//
// No notification is lost. If N2 comes before B1, the rank sees it there or at W3. Else the
// watcher reads another count after N2: it slept in K3 and was woken by N3, or did not fall
// asleep, since the kernel compares the count. So K2 comes after N2. The waker keeps its
// signal: the rank is woken whether K2 comes before or after B2 begins. A signal that comes
// too late only makes the rank ask once more.
func (m *Module) watch() {
	count := m.inbox.Count()
	for !m.closed.Load() {
		now := m.inbox.Count()
		if now != count {
			count = now
			m.endpoint.Wake()
			continue
		}
		if m.inbox.Follow(count) != nil {
			return // the memory has gone, and the process will
		}
	}
}

// SetWaiter is that of btl.Capabilities.
func (m *Module) SetWaiter(w *shm.Waiter) {
	w.ParkIn(m.park)
	m.waits.Store(w)
}

// shares tells whether the rank shares its CPU, or leaves it to others.
func (m *Module) shares() bool { return m.waits.Load().Spins() == 0 }

// park implements shm.Park.
func (m *Module) park(e *shm.Event, count uint32, limit time.Duration) (woken bool, err error) {
	if limit > 0 {
		m.sleeps.Add(1)
		return m.rest(e, count, limit, true)
	}
	return m.rest(e, count, time.Minute, false)
}

func (m *Module) rest(e *shm.Event, count uint32, limit time.Duration, quietly bool) (bool, error) {
	woken, err := m.devices.Rest(limit, quietly, func() bool {
		return e.Count() != count || m.devices.Failed() != nil
	})
	m.fresh.Store(true)
	if failed := m.devices.Failed(); failed != nil {
		return true, failed
	}
	return woken, err
}

// Sleep is not called: a rank sleeps in the module of its node, which parks it here.
func (m *Module) Sleep(func() bool, func()) error {
	panic("net: Sleep: the rank sleeps in the module of its node")
}

// Wake is not called, either.
func (m *Module) Wake() { m.inbox.Notify() }
