package flow

import (
	"iter"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/pml/list"
)

// Tasks are the tasks underway, in the order in which they were begun.
type Tasks[O any] struct{ list list.List[Transfer[O]] }

// Empty tells whether there is none.
func (s *Tasks[O]) Empty() bool { return s.list.Empty() }

// Start begins to look after a task.
func (s *Tasks[O]) Start(t *Transfer[O], by btl.Transfer) {
	t.by = by
	s.list.Push(&t.node)
}

// Advance asks all tasks that may be asked, also those that are begun meanwhile.
func (s *Tasks[O]) Advance(may func(*O) bool, end func(*O, error)) {
	for n := s.list.Head(); n != nil; {
		t := n.Of
		n = n.Next()
		if !may(t.of) {
			continue
		}
		if done, err := t.by.Progress(); done {
			s.list.Remove(&t.node)
			t.by = nil
			end(t.of, err)
		}
	}
}

// All are the tasks.
func (s *Tasks[O]) All() iter.Seq[*O] {
	return func(yield func(*O) bool) {
		for n := s.list.Head(); n != nil && yield(n.Of.of); n = n.Next() {
		}
	}
}

// Drop ends all tasks with an error.
func (s *Tasks[O]) Drop(err error, end func(*O, error)) { drop(&s.list, err, end) }
