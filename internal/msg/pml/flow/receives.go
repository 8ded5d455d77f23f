package flow

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/pml/list"
)

// Receives are the receives underway.
type Receives[O any] struct {
	list list.List[Transfer[O]]
	n    int
}

// Len returns how many there are.
func (r *Receives[O]) Len() int { return r.n }

// Start begins to look after a receive. It is asked at once: the bytes often can be had at once.
func (r *Receives[O]) Start(t *Transfer[O], by btl.Transfer, end func(*O, error)) {
	if t.by = by; !t.ask(end) {
		r.list.Push(&t.node)
		r.n++
	}
}

// Advance asks the first n receives. Those that are not done go to the end, so that all have their turn.
func (r *Receives[O]) Advance(n int, end func(*O, error)) {
	for ; n > 0; n-- {
		t := r.list.Pop()
		if t == nil {
			return
		}
		r.n--
		if !t.ask(end) {
			r.list.Push(&t.node)
			r.n++
		}
	}
}

// Drop ends all receives with an error.
func (r *Receives[O]) Drop(err error, end func(*O, error)) {
	r.n = 0
	drop(&r.list, err, end)
}
