package flow

// Queue puts a send behind all others that wait for room at its peer.
func (s *Sends[O]) Queue(rank int32, t *Transfer[O]) {
	p := s.To(rank)
	if p.queue.Empty() {
		s.waiting = append(s.waiting, p)
	}
	p.queue.Push(&t.node)
}

// Flush launches the sends that wait and that their peers can take now, each peer's in their order. launch says whether
// the peer took it: the send is in no queue by then. It returns how many were launched.
func (s *Sends[O]) Flush(launch func(*O) bool) (launched int) {
	kept := s.waiting[:0]
	for _, p := range s.waiting {
		for n := p.queue.Head(); n != nil; n = p.queue.Head() {
			p.queue.Remove(n)
			if !launch(n.Of.of) {
				p.queue.PushFront(n)
				break
			}
			launched++
		}
		if p.Queued() {
			kept = append(kept, p)
		}
	}
	s.waiting = kept
	return launched
}

// DropQueued ends the sends that wait, and for which why returns an error.
func (s *Sends[O]) DropQueued(why func(*O) error, end func(*O, error)) {
	kept := s.waiting[:0]
	for _, p := range s.waiting {
		for n := p.queue.Head(); n != nil; {
			at := n
			n = n.Next()
			if err := why(at.Of.of); err != nil {
				p.queue.Remove(at)
				end(at.Of.of, err)
			}
		}
		if p.Queued() {
			kept = append(kept, p)
		}
	}
	s.waiting = kept
}
