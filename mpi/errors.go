package mpi

import (
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/mpi/fault"
)

var (
	// ErrInitialized means that Init was called a second time in a process.
	ErrInitialized = comm.ErrInitialized

	// ErrFinalized means that a communicator or window was used after Finalize.
	ErrFinalized = comm.ErrFinalized

	// ErrFreed means that a communicator was used after Free.
	ErrFreed = comm.ErrFreed

	// ErrNoComm means that a communicator is nil: Split has returned it for Undefined, or
	// CreateGroup to a rank that is not in the group.
	ErrNoComm = comm.ErrNoComm

	// ErrInterrupted means that a collective operation on the communicator was interrupted: see Comm.With.
	ErrInterrupted = comm.ErrInterrupted

	// ErrView means that a call on a view was made that is not for views: see Comm.With.
	ErrView = comm.ErrView

	// ErrWindowFreed means that a window was used after Free.
	ErrWindowFreed = comm.ErrWindowFreed

	// ErrPending means that a communicator from Comm.Idup was used before its request was
	// complete.
	ErrPending = comm.ErrPending

	// ErrWorld means that the world, or Comm.Self, was to be freed.
	ErrWorld = comm.ErrWorld

	// ErrNotWorld means that the operation exists for the communicator from Init only.
	ErrNotWorld = comm.ErrNotWorld

	// ErrSpawn means that Comm.Spawn could not start ranks.
	ErrSpawn = comm.ErrSpawn

	// ErrPort means that there is no such port, or nobody at it.
	ErrPort = comm.ErrPort

	// ErrBusy means that another goroutine waits for the request.
	ErrBusy = comm.ErrBusy

	// ErrActive means that a persistent request was started or freed before its
	// operation was waited for.
	ErrActive = comm.ErrActive

	// ErrNotPersistent means that the request cannot be started or freed.
	ErrNotPersistent = comm.ErrNotPersistent

	// ErrCancelSend means that a send to another rank, or one that is received, was to be cancelled.
	ErrCancelSend = comm.ErrCancelSend

	// ErrRevoked means that the communicator was revoked: see Comm.Revoke.
	ErrRevoked = fault.ErrRevoked

	// ErrNoMessage means that a message from Mprobe was received before.
	ErrNoMessage = comm.ErrNoMessage

	// ErrOverlap means that the send and the receive buffer of Sendrecv have elements in common, or
	// those of a collective operation whose send buffer is not nil.
	ErrOverlap = comm.ErrOverlap

	// ErrNoCell means that coordinates are outside of a grid.
	ErrNoCell = comm.ErrNoCell

	// ErrNoTopology means that a neighbourhood operation was called without neighbours.
	ErrNoTopology = comm.ErrNoTopology

	// ErrNotOneAddressSpace means that the operation reads a peer's memory where
	// it lies, and the ranks of this job are separate processes.
	ErrNotOneAddressSpace = comm.ErrNotOneAddressSpace

	// ErrSeveralNodes means that the operation needs memory that all ranks of the
	// communicator reach, and they are on several nodes.
	ErrSeveralNodes = comm.ErrSeveralNodes
)

// ErrOf is the error of a call that returns something else, too: errors.Join(mpi.ErrOf(mpi.Sendrecv(...)), ...).
func ErrOf[T any](_ T, err error) error { return err }

// LostError means that an operation cannot complete because a rank, named in it,
// has gone: it exited or was killed. Find it with errors.As.
type LostError = fault.LostError

// PendingError means that a receive from AnySource goes on though a rank has failed: see Comm.Acknowledge. errors.As
// finds a *LostError in it, too.
type PendingError = fault.PendingError

// RankError means that the communicator has no such rank.
type RankError = fault.RankError

// TagError means that a tag is outside 0..MaxTag.
type TagError = fault.TagError

// TruncateError means that a message was longer than the buffer it was received into.
// It has both lengths, in bytes.
type TruncateError = fault.TruncateError

// ElementError means that a message consists of other numbers than its receive has asked for.
// It is found in jobs with --check.
type ElementError = fault.ElementError

// LeakError means that requests or matched messages were left at Finalize.
type LeakError = fault.LeakError

// MismatchError means that the ranks of a communicator did not call the same
// collective operation, or with arguments that do not fit.
type MismatchError = fault.MismatchError

// OperatorError means that an operator of a reduction has panicked, and where.
type OperatorError = fault.OperatorError

// BufferError means that a buffer is too short. As with all errors about arguments, the
// call is over for this rank. Ranks that need it for their calls get a *MismatchError
// that names it.
type BufferError = fault.BufferError
