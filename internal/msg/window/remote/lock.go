package remote

import "cmp"

// Locks, and what ends epochs. To lock all targets takes no message: the lock of a target is taken when it is first
// accessed.

// Lock takes the lock of a target.
func (r *Ranks) Lock(rank int, alone bool) error {
	q, of := request{what: askLock}, new(results)
	if alone {
		q.flags = flagAlone
	}
	if err := r.ask(rank, &q, nil, nil, of); err != nil {
		return err
	}
	return r.collect(rank, of, 0, "the lock")
}

// Unlock gives it back, after all operations on the target.
func (r *Ranks) Unlock(rank int, alone bool) error {
	err, flushed := r.sendUnlock(rank, alone), r.Flush(rank)
	return cmp.Or(err, flushed)
}

func (r *Ranks) sendUnlock(rank int, alone bool) error {
	q := request{what: askUnlock}
	if alone {
		q.flags = flagAlone
	}
	return r.ask(rank, &q, nil, nil, &r.links[rank].later)
}

// Engage takes the lock of a target, once, for a rank that has that of all.
func (r *Ranks) Engage(rank int) error {
	l := &r.links[rank]
	if l.joined.Load() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.joined.Load() {
		return nil
	}
	err := r.Lock(rank, false)
	if err == nil {
		l.joined.Store(true)
	}
	return err
}

// Disengage ends what Engage has begun, and all operations.
func (r *Ranks) Disengage() (first error) {
	if r == nil {
		return nil
	}
	for rank := range r.links {
		if l := &r.links[rank]; l.joined.Load() {
			l.joined.Store(false)
			first = cmp.Or(first, r.sendUnlock(rank, false))
		}
	}
	return cmp.Or(first, r.FlushAll())
}

// Flush returns when all operations of this rank on some targets are done there.
func (r *Ranks) Flush(ranks ...int) (first error) {
	if r == nil {
		return nil
	}
	for _, rank := range ranks {
		err := r.collect(rank, &r.links[rank].later, 0, "an answer")
		first = cmp.Or(first, err)
	}
	return first
}

// FlushAll is Flush for all targets.
func (r *Ranks) FlushAll() (first error) {
	if r == nil {
		return nil
	}
	for rank := range r.links {
		err := r.Flush(rank)
		first = cmp.Or(first, err)
	}
	return first
}
