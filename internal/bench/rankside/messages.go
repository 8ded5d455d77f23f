package rankside

import "github.com/gopvas/gopvas/mpi"

// The tags of messages, and of what acknowledges them.
const (
	DataTag = 1
	AckTag  = 2
)

// SendReceive sends to the other of two ranks while it receives from it.
func SendReceive(world *mpi.Comm, out, in []byte) {
	peer := 1 - world.Rank()
	request := Value(mpi.Irecv(world, in, peer, DataTag))
	Check(mpi.Send(world, out, peer, DataTag))
	Value(request.Wait())
}
