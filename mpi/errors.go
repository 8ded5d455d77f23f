package mpi

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/job"
)

var (
	// ErrInitialized means that Init was called a second time in a process.
	ErrInitialized = errors.New("already initialized: a process calls Init once, and not again after Finalize")

	// ErrFinalized means that a communicator or window was used after Finalize.
	ErrFinalized = errors.New("already finalized")

	// ErrNotOneAddressSpace means that the operation reads a peer's memory where
	// it lies, and the ranks of this job are separate processes.
	ErrNotOneAddressSpace = errors.New("the ranks do not share one address space: " +
		"run with pvasrun --btl pvas, or use memory from WinAllocateShared")
)

// LostError means that an operation can not complete because a rank, named in it,
// has gone: it exited or was killed. Find it with errors.As.
type LostError = job.LostError

// RankError means that the communicator has no such rank.
type RankError = job.RankError

// opError says which operation failed. Of the errors that a caller may tell apart
// the lower layers' account is left out: it would repeat the operation.
func opError(op string, err error) error {
	if err == nil {
		return nil
	}
	if lost, ok := errors.AsType[*LostError](err); ok {
		err = lost
	}
	return fmt.Errorf("mpi: %s: %w", op, err)
}
