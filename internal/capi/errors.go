package capi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/window"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Error is an error of a function of the ABI.
type Error struct {
	Class int    // ERR_TYPE and the like, or an error code of the program
	Text  string // what is wrong, and what to do
}

func (e *Error) Error() string { return e.Text }

// ErrorClass is Class: of a call on a file all ranks return it.
func (e *Error) ErrorClass() int { return e.Class }

// fail makes an Error.
func fail(class int, format string, args ...any) error {
	return &Error{Class: class, Text: fmt.Sprintf(format, args...)}
}

// classes are the error classes of errors of the packages below.
var classes = []struct {
	is    error
	class int
}{
	{comm.ErrFreed, ERR_COMM}, {comm.ErrNoComm, ERR_COMM}, {comm.ErrPending, ERR_COMM}, {comm.ErrWorld, ERR_COMM},
	{comm.ErrInter, ERR_COMM}, {comm.ErrNotInter, ERR_COMM}, {comm.ErrRace, ERR_COMM},
	{comm.ErrBusy, ERR_REQUEST}, {comm.ErrActive, ERR_REQUEST}, {comm.ErrNotPersistent, ERR_REQUEST},
	{comm.ErrNoMessage, ERR_REQUEST}, {comm.ErrRevoked, ERR_REVOKED},
	{comm.ErrOverlap, ERR_BUFFER}, {comm.ErrTwice, ERR_BUFFER}, {comm.ErrInUse, ERR_BUFFER}, {comm.ErrOperator, ERR_OP},
	{comm.ErrSpawn, ERR_SPAWN}, {comm.ErrPort, ERR_PORT}, {comm.ErrService, ERR_SERVICE}, {comm.ErrName, ERR_NAME},
	{comm.ErrNotKept, ERR_NAME},
	{comm.ErrNoTopology, ERR_TOPOLOGY}, {comm.ErrNoCell, ERR_RANK},
	{datatype.ErrCount, ERR_COUNT}, {datatype.ErrType, ERR_TYPE}, {datatype.ErrArgument, ERR_ARG},
	{datatype.ErrOverflow, ERR_VALUE_TOO_LARGE},
}

// classed gives an error that has no class of its own a class.
func classed(err error, class int) error {
	if err == nil || classOf(err) != ERR_OTHER {
		return err
	}
	return fail(class, "%v", err)
}

// textOf is an error for programs in C: one line, in which calls have their names in C. It stands behind the call, such
// as "MPI_Comm_connect on MPI_COMM_WORLD", so it does not begin with the operation if the call has its name.
func textOf(call string, err error) string {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "mpi: "), "window: ")
	function, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(call, "_", " ")), " on ")
	if op, rest, _ := strings.Cut(text, ": "); rest != "" && strings.HasSuffix(function, " "+op) {
		text = rest
	}
	if e, ok := errors.AsType[*window.CallError](err); ok {
		text = strings.Replace(text, e.Error(), e.InC(), 1)
	}
	return strings.ReplaceAll(text, "\n", "; ")
}

// classOf is the MPI error class of an error, or the error code of the program that it is.
func classOf(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	if pending(err) {
		return ERR_PROC_FAILED_PENDING
	}
	if _, ok := errors.AsType[*fault.LostError](err); ok {
		return lostClass()
	}
	if e, ok := errors.AsType[*fault.FileError](err); ok && fileClass(e) != ERR_OTHER {
		return fileClass(e)
	}
	if e, ok := errors.AsType[*fault.WindowError](err); ok && windowClass(e) != ERR_OTHER {
		return windowClass(e)
	}
	if _, ok := errors.AsType[*fault.RankError](err); ok {
		return ERR_RANK
	}
	if _, ok := errors.AsType[*fault.TagError](err); ok {
		return ERR_TAG
	}
	if _, ok := errors.AsType[*fault.TruncateError](err); ok {
		return ERR_TRUNCATE
	}
	if _, ok := errors.AsType[*fault.ElementError](err); ok {
		return ERR_TYPE
	}
	if _, ok := errors.AsType[*fault.BufferError](err); ok {
		return ERR_TRUNCATE
	}
	if differ, ok := errors.AsType[*fault.MismatchError](err); ok && differ.LengthsOnly() {
		return ERR_TRUNCATE
	}
	if _, ok := errors.AsType[*fault.OperatorError](err); ok {
		return ERR_OP
	}
	for _, c := range classes {
		if errors.Is(err, c.is) {
			return c.class
		}
	}
	return ERR_OTHER
}

// lostClass is the class of errors because of a rank that has gone. ERR_PROC_FAILED is for programs that may go on.
func lostClass() int {
	if p := process; p != nil && p.world != nil && job.Survives(comm.Root(p.world.c)) {
		return ERR_PROC_FAILED
	}
	return ERR_PROC_ABORTED
}
