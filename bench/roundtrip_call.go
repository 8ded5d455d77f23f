package bench

import (
	"github.com/gopvas/gopvas/loggps/fit"
	"github.com/gopvas/gopvas/mpi"
)

// call times what a call that moves nothing takes: how much longer an empty round trip is if
// its receive begins before its send, as another call.
func (r *tripRank) call(rounds int) error {
	one, err := r.trips(0, rounds, 0)
	if err != nil {
		return err
	}
	two, err := r.timed(order{orderTrips, 0, rounds}, func(int) error {
		request, err := mpi.Irecv(r.world, r.in[:0], 1, dataTag)
		if err != nil {
			return err
		}
		if err := mpi.Send(r.world, r.out[:0], 1, dataTag); err != nil {
			return err
		}
		_, err = request.Wait()
		return err
	}, func() error { return nil })
	r.samples = append(r.samples, fit.Sample{Kind: fit.Call, Time: max(two-one, leastCall)})
	return err
}

// leastCall is what a call takes at least, ns.
const leastCall = 1
