package failures

import (
	"cmp"
	"slices"
	"sync"

	"github.com/gopvas/gopvas/internal/node/job"
)

// List is the ranks that have failed, in the order of their ends, as all processes find them. Any goroutine may use it.
type List struct {
	mu    sync.Mutex
	seen  int // GoneCount before the last look
	ranks []int32
}

// Ranks returns those that have failed by now. Each later list begins with the earlier ones. It looks at all ranks of
// the job when one more has gone, and does not block.
func (l *List) Ranks(r *job.Root) []int32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := r.GoneCount()
	if n == l.seen {
		return l.ranks
	}
	var more []int32
	for i := range r.Ranks() { // who goes meanwhile is found by the next call
		if end := int(job.End(r, i)); end > l.seen && end <= n && job.Failed(r, i) {
			more = append(more, int32(i))
		}
	}
	slices.SortFunc(more, func(a, b int32) int { return cmp.Compare(job.End(r, int(a)), job.End(r, int(b))) })
	l.ranks = append(l.ranks[:len(l.ranks):len(l.ranks)], more...)
	l.seen = n
	return l.ranks
}
