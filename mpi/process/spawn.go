package process

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/mpi"
)

// ErrSpawn is why Spawn has started nobody, ErrPort what is wrong with a port, ErrName that no port has such a name.
var (
	ErrSpawn = comm.ErrSpawn
	ErrPort  = comm.ErrPort
	ErrName  = comm.ErrName
)

// Spawn starts n ranks of a program, and returns a communicator of the ranks of c and, behind them, the new ones. Each
// of those has to call Parent. What the root passes counts. A program whose name has a slash is found from the folder
// that the root is in, any other one by PATH.
//
// It is collective, and blocks until the new ranks have called Parent. The error is the same at all ranks of c. It
// wraps ErrSpawn if there is no room for n, or if not all of them have come up to mpi.Init.
//
// MPI 4.1 section 11.8.1 (MPI_Comm_spawn).
func Spawn(c *mpi.Comm, root, n int, program string, args ...string) (*mpi.Comm, error) {
	var wrong error
	if (*comm.Comm)(c).Rank() == root && n < 1 {
		wrong = fmt.Errorf("%w: %d ranks of %s: start 1 or more", ErrSpawn, n, program)
	}
	others, counts, err := comm.Spawn((*comm.Comm)(c), root,
		[]comm.Command{{Program: program, Args: args, N: n}}, wrong)
	if err == nil && counts[0].Started < counts[0].Asked {
		err = fmt.Errorf("%w: %d of %d ranks of %s were started", ErrSpawn, counts[0].Started, counts[0].Asked, program)
	}
	return joined(others, false, err)
}

// Parent returns the communicator that Spawn returns at the ranks that have started this one, and nil if none has: the
// program was started by pvasrun. It is collective over both sides. A rank that was spawned calls it once.
//
// MPI 4.1 section 11.8.2 (MPI_Comm_get_parent).
func Parent(world *mpi.Comm) (*mpi.Comm, error) {
	parent := comm.Parent((*comm.Comm)(world))
	if parent == nil {
		return nil, nil
	}
	return joined(parent, true, nil)
}

// Disconnect frees a communicator of this package when all that was sent on it has been received. It is collective, and
// blocks. The two sides have nothing in common then, unless another communicator joins them.
//
// MPI 4.1 section 11.10.4 (MPI_Comm_disconnect).
func Disconnect(c *mpi.Comm) error { return comm.Disconnect((*comm.Comm)(c)) }

// joined returns the communicator of both groups of an intercommunicator, which it ends. high: this side has the last
// ranks.
func joined(between *comm.Comm, high bool, err error) (*mpi.Comm, error) {
	if err != nil {
		return nil, err
	}
	all, err := comm.Merge(between, high)
	if err != nil {
		return nil, err
	}
	if err := comm.Disconnect(between); err != nil {
		return nil, err
	}
	return (*mpi.Comm)(all), nil
}
