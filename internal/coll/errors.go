package coll

import "errors"

// errNoBoard is for the members whose first one could not allocate.
var errNoBoard = errors.New("the first rank of the communicator has no room left for shared memory")

// ErrOverlap means that a call would read what it overwrites.
var ErrOverlap = errors.New("the send and the receive buffer overlap: use others, or no send buffer (nil, in C " +
	"MPI_IN_PLACE) to send what is in the receive buffer")
