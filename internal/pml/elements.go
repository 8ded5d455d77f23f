package pml

import (
	"errors"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/mpi/fault"
)

// The element types of a message are compared if both ranks name them. The sender has its word
// travel as the mark of the message, and the receiver compares it when the receive is complete. A rank
// that says nothing sends 0, which matches everything.

// elements is the mark of a message from this buffer.
func elements(b *btl.Buffer) Mark { return Mark{Word: uint64(b.Of.Numbers())} }

// compareElements returns the error of an operation that ends with err and says what its message
// consists of. An error of the length is due to the type, if that is wrong.
func (op *operation) compareElements(err error) error {
	sent := datatype.Element(op.mark.Word)
	if op.kind != receiving || op.status.Bytes == 0 || op.buf.Of.Matches(sent) {
		return err
	}
	if err != nil {
		if _, ok := errors.AsType[*fault.TruncateError](err); !ok {
			return err
		}
	}
	return &fault.ElementError{Sent: sent, Received: op.buf.Of}
}
