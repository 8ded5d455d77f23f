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

// SetHelper is called before the engine is used.
func (e *Engine) SetHelper(h Helper) { e.helper = h }

// wanted is asked by a goroutine of this rank in its sleep: it tells whether there is work
// of others, and has ranks with work wake this one. awake ends that.
func (e *Engine) wanted() bool {
	if e.helper == nil {
		return false
	}
	e.helper.Resting(true)
	return e.helper.Pending()
}

// awake undoes wanted.
func (e *Engine) awake() {
	if e.helper != nil {
		e.helper.Resting(false)
	}
}

// help does some of what others have to do, if there is a helper and work. The caller
// holds the lock, which is let go meanwhile.
func (e *Engine) help() bool {
	if e.helper == nil || !e.helper.Pending() {
		return false
	}
	e.unlock()
	did := e.helper.Help()
	e.lock()
	return did
}
