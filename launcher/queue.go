package launcher

import "sync"

// A queue runs functions in the order in which they were put, on a goroutine of
// its own. The supervisor leaves calls to it that may block, such as a message to a
// terminal without a reader. Meanwhile the supervisor serves events.
type queue struct {
	mu   sync.Mutex
	todo []func()
	busy bool // a goroutine runs work
}

// put never waits. Any goroutine calls it.
func (q *queue) put(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.todo = append(q.todo, f)
	if !q.busy {
		q.busy = true
		go q.work()
	}
}

// work runs functions until none is left.
func (q *queue) work() {
	for {
		q.mu.Lock()
		if len(q.todo) == 0 {
			q.busy = false
			q.mu.Unlock()
			return
		}
		f := q.todo[0]
		q.todo = q.todo[1:]
		q.mu.Unlock()
		f()
	}
}

// flush returns when everything that was put before has been run.
func (q *queue) flush() {
	done := make(chan struct{})
	q.put(func() { close(done) })
	<-done
}
