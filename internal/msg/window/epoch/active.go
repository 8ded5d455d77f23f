package epoch

// Epochs of active targets.

// MayFence returns nil if a Fence is possible.
func (s *State) MayFence() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.access.Load() != Active {
		if err := s.mayBegin("Fence"); err != nil {
			return err
		}
	}
	if s.exposed {
		return Error("%s within an exposure epoch: call %s first", "Fence", "Wait")
	}
	return nil
}

// Fence ends an epoch of Fence, and begins the next one unless the program says that none succeeds. All ranks have come
// to it.
func (s *State) Fence(a Assert) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a&NoSucceed != 0 {
		s.access.Store(Idle)
	} else {
		s.access.Store(Fenced)
	}
}

// Start begins an access epoch to some targets, which are closed at first.
func (s *State) Start(targets []int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.mayBegin("Start")
	if err == nil {
		s.access.Store(Started)
		s.started = targets
	}
	return err
}

// Open opens the targets of Start: they have called Post.
func (s *State) Open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mark(s.started, Open)
}

func (s *State) mark(ranks []int, to Mark) {
	for _, rank := range ranks {
		s.marks.set(rank, s.ranks, to)
	}
}

// Complete ends the epoch of Start, and returns its targets.
func (s *State) Complete() (targets []int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err = s.expect("Complete", Started, "Start"); err == nil {
		targets = s.started
		s.abandon()
	}
	return targets, err
}

// Abandon takes back a Start, or a LockAll, that has failed.
func (s *State) Abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abandon()
}

func (s *State) abandon() {
	s.access.Store(Idle)
	s.mark(s.started, 0)
	s.started = nil
}

// Post begins an exposure epoch for some ranks.
func (s *State) Post(origins []int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.Freed():
		return s.freed
	case s.exposed:
		return Error("%s within an exposure epoch: call %s first", "Post", "Wait")
	case s.access.Load() == Active:
		return Error("%s within the epoch of %s: end that by the latter with MPI_MODE_NOSUCCEED", "Post", "Fence")
	}
	s.exposed, s.origins = true, origins
	return nil
}

// Exposure is the ranks of Post whose Complete is yet to come, for a call that waits for it or asks.
func (s *State) Exposure(c Call) ([]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.Freed():
		return nil, s.freed
	case !s.exposed:
		return nil, Error("%s without %s", c, "Post")
	}
	return s.origins, nil
}

// Left says whose Complete is yet to come. The epoch of Post ends with the last one.
func (s *State) Left(origins []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exposed, s.origins = len(origins) > 0, origins
}
