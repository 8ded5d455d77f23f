package pml

// Idle tells whether this rank has nothing left in a context: no operation, also none
// that is complete and was not waited for or is persistent and not freed, and no
// message that was not received. Then the context can be used for something else,
// provided that nobody still sends in it. Idle does not look for messages that have
// just arrived.
func (e *Engine) Idle(context uint32) bool {
	e.lock()
	defer e.unlock()
	if m := e.matchers[context]; m != nil && m.arrived.head != nil {
		return false
	}
	for _, op := range *e.operations.Load() {
		if op.state != free && op.context == context {
			return false
		}
	}
	return true
}
