package pml

// Helper is work of others that this rank can do while it waits.
type Helper interface {
	// Pending tells whether there is work, at the cost of a look.
	Pending() bool

	// Help does some of it, and returns whether there was any. It is called without
	// the engine's lock.
	Help() bool

	// Polling is told when this rank begins to look for work again and again, because
	// its wait lasts, and when it ends that: a rank that has work need not wake it.
	Polling(bool)

	// Resting is told when this rank goes to sleep and when it is awake again, so
	// that ranks with work know whether to wake it, by its inbox.
	Resting(bool)
}

// helping is a Helper that may be missing.
type helping struct{ by Helper }

// pending tells whether there is work.
func (h *helping) pending() bool { return h.by != nil && h.by.Pending() }

// wanted is asked by a goroutine of this rank in its sleep: it tells whether there is work
// of others, and has ranks with work wake this one. awake ends that.
func (h *helping) wanted() bool {
	if h.by == nil {
		return false
	}
	h.by.Resting(true)
	return h.by.Pending()
}

// awake undoes wanted.
func (h *helping) awake() {
	if h.by != nil {
		h.by.Resting(false)
	}
}

// help does some of what others have to do, if there is work. The caller
// holds the lock, which is let go meanwhile.
func (h *helping) help(t *Threads) bool {
	if !h.pending() {
		return false
	}
	t.unlock()
	did := h.by.Help()
	t.lock()
	return did
}
