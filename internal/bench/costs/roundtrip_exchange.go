package costs

import (
	"github.com/gopvas/gopvas/internal/bench/rankside"
)

// exchanges times exchanges, in which messages cross.
func (r *tripRank) exchanges(n, rounds, _ int) (float64, error) {
	return r.timed(order{orderExchange, n, rounds}, func(n int) error {
		out, in := r.next(n)
		return rankside.SendReceive(r.world, out, in)
	}, func() error { return nil })
}
