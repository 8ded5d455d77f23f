package mpi

import "errors"

var (
	// ErrFreed means that a communicator was used after Free.
	ErrFreed = errors.New("the communicator was freed: use it no more, or free it later")

	// ErrWorld means that the world was to be freed.
	ErrWorld = errors.New("the world can not be freed: it ends with Finalize")

	// ErrNotWorld means that the operation exists for the communicator from Init only.
	ErrNotWorld = errors.New("not possible on this communicator: use the one from Init")
)
