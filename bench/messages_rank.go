package bench

import "github.com/gopvas/gopvas/mpi"

// The tags of messages, and of what acknowledges them.
const (
	dataTag = 1
	ackTag  = 2
)

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
