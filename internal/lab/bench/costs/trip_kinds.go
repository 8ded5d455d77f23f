package costs

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
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
func (r *tripRank) trips(n, rounds, loop int) (float64, error) {
	return r.timed(order{orderTrips, n, rounds}, func(n int) error {
		out, in := r.next(n)
		if err := mpi.Send(r.world, out, 1, rankside.DataTag); err != nil {
			return err
		}
		spin(loop)
		_, err := mpi.Recv(r.world, in, 1, rankside.DataTag)
		return err
	}, func() error { return nil })
}

// sends times blocking sends. The loop behind each lets the receiver come back, so that it
// waits for the next one.
func (r *tripRank) sends(n, rounds, loop int) (float64, error) {
	return r.timed(order{orderSends, n, rounds}, func(n int) error {
		out, _ := r.next(n)
		if err := mpi.Send(r.world, out, 1, rankside.DataTag); err != nil {
			return err
		}
		spin(loop)
		return nil
	}, func() error {
		_, err := mpi.Recv(r.world, r.in[:0], 1, rankside.AckTag)
		return err
	})
}

// exchanges times exchanges, in which messages cross.
func (r *tripRank) exchanges(n, rounds, _ int) (float64, error) {
	return r.timed(order{orderExchange, n, rounds}, func(n int) error {
		out, in := r.next(n)
		return rankside.SendReceive(r.world, out, in)
	}, func() error { return nil })
}
