package pml

import "github.com/gopvas/gopvas/btl"

// Exchange sends out to one rank and receives in from another, with the same tag, and
// returns when both are over. Either rank may be ProcNull. It is what collectives are made
// of that need no graph: it takes the lock once, and neither posts the receive nor makes an
// operation of the send where the messages are short and come in time.
func (e *Engine) Exchange(context uint32, tag int, m Mark, to int, out []byte, from int,
	in []byte) (Status, Mark, error) {
	e.lock()
	defer e.unlock()
	send := sent
	e.beginning = step
	defer e.begun()
	if to != ProcNull {
		if send = e.sendNow(context, to, tag, m, out, false); send == nil {
			var err error
			if send, err = e.send(context, to, tag, m, &btl.Buffer{Bytes: out}, Standard); err != nil {
				return noStatus, m, err
			}
		}
	}
	st, mark, err := nobody, Mark{}, error(nil)
	if from != ProcNull {
		st, mark, err = e.receiveMarked(context, from, tag, in)
	}
	e.begun()
	if _, failed := e.finish(send); err == nil {
		err = failed
	}
	return st, mark, err
}

// Post begins to send a short message and returns at once: nobody waits for its end. If it does not leave at once,
// later calls of this rank send it. out must not change any more.
func (e *Engine) Post(context uint32, to, tag int, m Mark, out []byte) error {
	e.lock()
	defer e.unlock()
	return e.Inside().Post(context, to, tag, m, out)
}

// receiveMarked receives a message and its mark.
func (e *Engine) receiveMarked(context uint32, from, tag int, in []byte) (Status, Mark, error) {
	op, buf := &e.fast, btl.Buffer{Bytes: in}
	if !e.receiveFast(op, context, from, tag, &buf) {
		var err error
		if op, err = e.receive(context, from, tag, &buf); err != nil {
			return noStatus, Mark{}, err
		}
	}
	e.begun()
	st, err := e.finish(op)
	return st, op.mark, err // nobody else has used the operation: the lock is held
}
