package epoch

// Epochs of passive targets.

// Lock begins an access epoch to one target, beside those to others that were begun so.
func (s *State) Lock(rank int, m Mark) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.access.Load() != Locked {
		if err := s.mayBegin("Lock"); err != nil {
			return err
		}
	} else if s.marks.get(rank) != 0 {
		return Error("%s of a target that is locked: call %s first", "Lock", "Unlock")
	}
	s.marks.set(rank, s.ranks, m)
	s.locks++
	s.access.Store(Locked)
	return nil
}

// Unlock ends the epoch of Lock, and returns how the target was locked.
func (s *State) Unlock(rank int) (m Mark, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err = s.expect("Unlock", Locked, "Lock"); err != nil {
		return 0, err
	}
	if m = s.marks.get(rank); m == 0 {
		return 0, Error("%s of a target that is not locked: call %s first", "Unlock", "Lock")
	}
	s.marks.set(rank, s.ranks, 0)
	if s.locks--; s.locks == 0 {
		s.access.Store(Idle)
	}
	return m, nil
}

// LockAll begins an access epoch to all targets.
func (s *State) LockAll(noCheck bool) error {
	s.mu.Lock()
	err := s.mayBegin("LockAll")
	if err == nil {
		s.noCheck = noCheck
		s.access.Store(LockedAll)
	}
	s.mu.Unlock()
	return err
}

// UnlockAll ends the epoch of LockAll. taken says that the lock of all targets was taken.
func (s *State) UnlockAll() (taken bool, err error) {
	s.mu.Lock()
	if err = s.expect("UnlockAll", LockedAll, "LockAll"); err == nil {
		s.access.Store(Idle)
		taken = !s.noCheck
	}
	s.mu.Unlock()
	return taken, err
}

// HoldsAll tells whether this rank has the lock of all targets.
func (s *State) HoldsAll() bool { return s.access.Load() == LockedAll && !s.noCheck }

// MayFlush returns nil if the target is locked, or all are.
func (s *State) MayFlush(rank int) error {
	if access := s.access.Load(); access == LockedAll || access == Locked && s.marks.get(rank) != 0 {
		return nil
	}
	return s.noFlush()
}

// MayFlushAll returns nil if some target is locked, or all are.
func (s *State) MayFlushAll() error {
	if access := s.access.Load(); access == LockedAll || access == Locked {
		return nil
	}
	return s.noFlush()
}

func (s *State) noFlush() error {
	if s.Freed() {
		return s.freed
	}
	return Error("%s of a target that is not locked: call %s or %s first", "Flush", "Lock", "LockAll")
}
