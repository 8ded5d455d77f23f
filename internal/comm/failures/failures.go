package failures

import (
	"sync"

	"github.com/gopvas/gopvas/internal/job"
)

// List is the ranks that have failed, in the order in which this process has found them. Any goroutine may use it.
type List struct {
	mu    sync.Mutex
	seen  int // GoneCount before the last look
	ranks []int32
	known map[int32]bool
}

// Ranks returns those that have failed by now. Each later list begins with the earlier ones. It looks at all ranks of
// the job when one more has gone, and does not block.
func (l *List) Ranks(r *job.Root) []int32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := r.GoneCount() // before the look: who goes meanwhile is found now, or by the next call
	if n == l.seen {
		return l.ranks
	}
	if l.known == nil {
		l.known = map[int32]bool{}
	}
	for i := range r.Ranks() {
		if rank := int32(i); !l.known[rank] && job.Failed(r, i) {
			l.known[rank] = true
			l.ranks = append(l.ranks[:len(l.ranks):len(l.ranks)], rank)
		}
	}
	l.seen = n
	return l.ranks
}
