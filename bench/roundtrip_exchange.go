package bench

import "github.com/gopvas/gopvas/mpi"

// exchanges times exchanges, in which messages cross.
func (r *tripRank) exchanges(n, rounds, _ int) (float64, error) {
	return r.timed(order{orderExchange, n, rounds}, func(n int) error {
		out, in := r.next(n)
		return sendReceive(r.world, out, in)
	}, func() error { return nil })
}

// sendReceive sends to the other of two ranks while it receives from it.
func sendReceive(world *mpi.Comm, out, in []byte) error {
	peer := 1 - world.Rank()
	request, err := mpi.Irecv(world, in, peer, dataTag)
	if err != nil {
		return err
	}
	if err := mpi.Send(world, out, peer, dataTag); err != nil {
		return err
	}
	_, err = request.Wait()
	return err
}
