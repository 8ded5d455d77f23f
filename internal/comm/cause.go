package comm

import (
	"errors"
	"time"

	"github.com/gopvas/gopvas/mpi/fault"
)

// causeTime is longer than pvasrun takes to end the ranks of a job in which one has failed.
const causeTime = time.Second

// AwaitCause is called before a rank fails because of err. If err only follows from what another rank has
// done, that rank's message says what is wrong, and pvasrun is about to end this one by a signal. Then
// AwaitCause waits for that. It returns after a second if no signal comes, as when the other rank has left
// with exit code 0.
func AwaitCause(err error) {
	if follows(err) {
		time.Sleep(causeTime) // SIGTERM ends it
	}
}

// follows tells whether another rank has got an error of its own, or has gone.
func follows(err error) bool {
	if _, lost := errors.AsType[*fault.LostError](err); lost {
		return true
	}
	mismatch, ok := errors.AsType[*fault.MismatchError](err)
	return ok && mismatch.Refused
}
