package pml

import "slices"

// Idle tells whether this rank has nothing left in some contexts: no operation, also none
// that is complete and was not waited for or is persistent and not freed, and no
// message that was not received. Then the contexts can be used for something else,
// provided that nobody still sends in them. Idle does not look for messages that have
// just arrived. It takes time in proportion to the operations that the program has needed lately.
func (e *Engine) Idle(contexts ...uint32) bool {
	e.lock()
	defer e.unlock()
	idle, rested := true, 0
	for _, op := range e.existing {
		switch {
		case op.state != free:
			idle = idle && !slices.Contains(contexts, op.context)
		case op.rest():
			rested++
		}
	}
	if rested >= leastPurge {
		e.purge()
	}
	for _, context := range contexts {
		if m := e.matchers[context]; m != nil && m.arrived.head != nil {
			return false
		}
	}
	return idle
}
