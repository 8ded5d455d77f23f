package costs

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// spin is the dummy loop of the paper: it takes a fixed time per iteration, and reads no
// clock and no memory.
func spin(iterations int) {
	x := uint64(iterations) | 1
	for range iterations {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	spun.Store(x)
}

// spun has the compiler keep the loop of spin.
var spun atomic.Uint64

// trips times round trips with a loop before the receive: equations (12) to (14).
func (r *tripRank) trips(n, rounds, loop int) float64 {
	return r.timed(order{orderTrips, n, rounds}, func(n int) {
		out, in := r.next(n)
		rankside.Check(mpi.Send(r.world, out, 1, rankside.DataTag))
		spin(loop)
		rankside.Value(mpi.Recv(r.world, in, 1, rankside.DataTag))
	}, func() {})
}

// sends times blocking sends. The loop behind each lets the receiver come back, so that it
// waits for the next one.
func (r *tripRank) sends(n, rounds, loop int) float64 {
	return r.timed(order{orderSends, n, rounds}, func(n int) {
		out, _ := r.next(n)
		rankside.Check(mpi.Send(r.world, out, 1, rankside.DataTag))
		spin(loop)
	}, func() {
		rankside.Value(mpi.Recv(r.world, r.in[:0], 1, rankside.AckTag))
	})
}

// exchanges times exchanges, in which messages cross.
func (r *tripRank) exchanges(n, rounds, _ int) float64 {
	return r.timed(order{orderExchange, n, rounds}, func(n int) {
		out, in := r.next(n)
		rankside.SendReceive(r.world, out, in)
	}, func() {})
}
