package cluster

import "sync"

// A window holds back a sender of bytes until the other side has passed them on.
type window struct {
	mu     sync.Mutex
	cond   sync.Cond
	used   int
	closed bool
}

func newWindow() *window {
	w := &window{}
	w.cond.L = &w.mu
	return w
}

// take waits until the window has bytes free. It returns false when the window was closed.
func (w *window) take(n int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.used > 0 && w.used+n > flowWindow && !w.closed {
		w.cond.Wait()
	}
	w.used += n
	return !w.closed
}

func (w *window) give(n int) {
	w.mu.Lock()
	w.used -= n
	w.mu.Unlock()
	w.cond.Broadcast()
}

func (w *window) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.cond.Broadcast()
}
