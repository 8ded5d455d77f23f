package rankside

import "github.com/gopvas/gopvas/mpi"

// The tags of messages, and of what acknowledges them.
const (
	DataTag = 1
	AckTag  = 2
)

// SendReceive sends to the other of two ranks while it receives from it.
func SendReceive(world *mpi.Comm, out, in []byte) error {
	peer := 1 - world.Rank()
	request, err := mpi.Irecv(world, in, peer, DataTag)
	if err != nil {
		return err
	}
	if err := mpi.Send(world, out, peer, DataTag); err != nil {
		return err
	}
	_, err = request.Wait()
	return err
}
