package pml

import "github.com/gopvas/gopvas/btl"

// callbacks are methods of the engine as values, which are made once: to make one allocates.
type callbacks struct {
	frame   func(*btl.Frame)        // deliver
	look    func() bool             // pollOnce
	ready   func() bool             // ready
	lasting func()                  // lasts
	moved   func(*operation, error) // of a transfer
	ended   func(*operation, error) // of a task
	may     func(*operation) bool   // advances
	launch  func(*operation) bool   // launchQueued
}

func (e *Engine) callbacks() callbacks {
	return callbacks{
		frame: e.deliver, look: e.pollOnce, ready: e.ready, lasting: e.lasts,
		moved: e.moved, ended: e.taskEnded, may: e.advances, launch: e.launchQueued,
	}
}
