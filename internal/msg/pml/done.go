package pml

// A request may be watched: a channel is closed when it is complete. Whoever completes the operation closes the
// channel, under the lock. So that somebody does, also if the program makes no call, a goroutine serves as long as
// there are watched requests: it makes progress and sleeps as any owner of progress. It begins with the first watched
// request and ends with the last, under the lock, so there is one at most, and none is missing. If the helper of graphs
// serves already, that is enough: it does until the engine is closed. If it begins to serve later it takes the place.
type watching struct {
	open    int  // operations that are watched
	begun   bool // the goroutine was begun and has not ended
	serving bool // it is the server of the line
}

// over is the channel of what is complete.
var over = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Done returns a channel that is closed when a wait for the request would not block: it is complete, or pending. It is
// the same one until then. The request has to be waited for as before.
func (r *Request) Done() <-chan struct{} {
	e := r.Engine()
	if e == nil {
		return over
	}
	e.threads.lock()
	defer e.threads.unlock()
	op := r.active()
	if op == nil || op.state == complete || e.p.pending(op) != nil {
		return over
	}
	if !op.watched {
		op.watched, op.done = true, make(chan struct{})
		w := &e.p.watching
		w.open++
		if !w.begun {
			w.begun = true
			go watch(e)
		}
	}
	return op.done
}

// unwatch closes the channel of an operation.
func (p *protocol) unwatch(op *operation) {
	close(op.done)
	op.watched, op.done = false, nil
	if p.watching.open--; p.watching.open == 0 && p.watching.serving {
		p.line.StopServer()
	}
}

// watch serves as long as there are watched operations.
func watch(e *Engine) {
	e.threads.lock()
	defer e.threads.unlock()
	w := &e.p.watching
	for w.serving = true; w.open > 0 && serve(e); {
	}
	w.serving, w.begun = false, false
}

// Serve makes progress for all operations of the rank, and sleeps when there is none to
// be made, until the engine is closed. One goroutine at a time serves; a second one
// returns at once, but takes the place of that of watched requests.
func (e *Engine) Serve() {
	e.threads.lock()
	defer e.threads.unlock()
	if e.p.watching.serving {
		e.p.watching.serving = false
		e.line.StopServer()
	}
	serve(e)
}

// serve is Serve until the line stops its server. It returns false if the engine is closed, or another one serves.
func serve(e *Engine) bool {
	if e.p.closed {
		return false
	}
	w := e.line.New(nil, "")
	ok := e.line.Serve(w)
	if ok {
		e.waitFor(w)
	}
	e.line.Free(w)
	return ok
}
