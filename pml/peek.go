package pml

// Peek returns what Test would, and leaves the request as it is: it can be waited for as
// before. It makes progress and does not block.
func (e *Engine) Peek(r *Request) (st Status, done bool, err error) {
	e.lock()
	defer e.unlock()
	op := r.active()
	if op != nil && op.state != complete {
		e.progress()
	}
	switch {
	case op == nil:
		return noStatus, true, nil
	case op.state != complete:
		return noStatus, false, nil
	}
	return op.status, true, op.err
}
