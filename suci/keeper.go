package suci

import "time"

// keep drives when nobody else does.
func (l *loop) keep() {
	defer close(l.kept)
	l.standBy(func() { time.Sleep(keeperTick) })
}

// standBy drives whenever nobody else does from one tick to the next, until the loop is over.
func (l *loop) standBy(tick func()) {
	for {
		seen := l.driver.Load()
		tick()
		if l.driver.Load() == seen && !l.replace(seen) {
			return
		}
	}
}

// replace drives if nobody else has done so since the number of drivers was read. It returns when
// somebody does, or false if the loop is over.
func (l *loop) replace(seen uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over || l.driver.Load() != seen:
	case l.driving: // the same all the time: it tells when it leaves
		l.hired = false
		l.mu.Unlock()
		<-l.hire
		l.mu.Lock()
	default:
		l.serve()
	}
	return !l.over
}

// serve drives until somebody else does.
func (l *loop) serve() {
	me := l.driver.Add(1)
	for _, d := range l.drives {
		d.looks = looksPerTime - 1
	}
	told := l.announced // before the program looks: of what comes meanwhile it is told
	l.keeps(true)
	for !l.over && l.driver.Load() == me {
		if !l.step() && l.announced == told {
			l.sleep(l.keeperWake)
		}
		if l.announced != told {
			told = l.announced // what the program has done meanwhile may be news
			l.tell()
		}
	}
	l.keeps(false)
}

// tell tells the program of news.
func (l *loop) tell() {
	if l.options.OnNews != nil {
		l.outside(l.options.OnNews)
	}
}

// keeps tells the program whether the keeper drives.
func (l *loop) keeps(on bool) {
	if l.options.OnKeep != nil {
		l.outside(func() { l.options.OnKeep(on) })
	}
}

// outside has the keeper call the program, without the lock. A poll meanwhile, which may be one of that call, does not
// depose the keeper: it does not sleep.
func (l *loop) outside(f func()) {
	l.telling = true
	l.mu.Unlock()
	f()
	l.mu.Lock()
	l.telling = false
}
