package pml

// noteGone fails the operations that depend on ranks that have gone since its last call: see package gone.
func (e *Engine) noteGone() {
	if !e.gone.Look(e.routes.Several(), e.pollAll, e.received, e.routes.Senders) {
		return
	}
	e.updateFastPath()
	e.settle() // the module fails the transfers underway to and from them
	for op, err := range e.match.Expel(func(op *operation) error { return e.gone.Error(op.context, op.Peer) }) {
		e.complete(op, err)
	}
	e.dropQueued(func(peer int32) error { return e.gone.Error(0, peer) })
}

// received counts the messages that were handed over.
func (e *Engine) received() uint64 { return e.routes.Counters().Received }

// dropQueued fails the queued sends to the peers for which why returns an error.
func (e *Engine) dropQueued(why func(peer int32) error) {
	e.sends.DropQueued(why, e.on.moved)
	e.updateFastPath()
}

// Among limits what AnySource means in a context to the ranks of a circle, some of which are of other worlds or jobs.
// The end of a rank outside the circle fails nothing there. A nil circle takes the limit away. An empty one is for
// ranks that are not known yet: no end fails anything there. Tasks of the engine may call Among.
func (e *Engine) Among(context uint32, circle []int32) { e.gone.Among(context, circle) }
