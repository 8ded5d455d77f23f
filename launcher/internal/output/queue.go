package output

import "sync"

// A Queue runs functions in the order in which they were put, on a goroutine of
// its own. The supervisor leaves calls to it that may block, such as a message to a
// terminal without a reader. Meanwhile the supervisor serves events.
type Queue struct {
	mu   sync.Mutex
	todo []func()
	busy bool // a goroutine runs work
}

// Put never waits. Any goroutine calls it.
func (q *Queue) Put(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.todo = append(q.todo, f)
	if !q.busy {
		q.busy = true
		go q.work()
	}
}

// work runs functions until none is left.
func (q *Queue) work() {
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

// Flush returns when everything that was put before has been run.
func (q *Queue) Flush() {
	done := make(chan struct{})
	q.Put(func() { close(done) })
	<-done
}
