package comm

import (
	"errors"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/pml"
)

// Buffer is memory that a message is taken from or put into: bytes in one piece, or a
// layout of package datatype. The calls that take []byte are for one piece, and are the
// shortest way; those named after Buffer take either.
type Buffer = btl.Buffer

// Bytes is the buffer of some bytes in one piece.
func Bytes(b []byte) Buffer { return Buffer{Bytes: b} }

// Element is what an element of a message consists of.
type Element = datatype.Element

// compares tells whether messages say what they consist of, and receives compare it.
func (c *Comm) compares() bool { return c != nil && c.team.Check }

// say has a message from or into the buffer say what it consists of, if that is compared.
func (c *Comm) say(b *Buffer, of Element) {
	if c.compares() {
		b.Of = of
	}
}

// ErrInUse means that a call that is checked receives into memory that an operation before it uses.
var ErrInUse = errors.New("the receive buffer has memory in common with that of a message that is not complete: " +
	"use another buffer, or wait for that message's request first")

// begins is expect for a receive that is about to begin. It refuses a buffer that an operation uses.
func (c *Comm) begins(b *Buffer, of Element, from int) error {
	if !c.compares() {
		return nil
	}
	err := c.expect(b, of)
	if err == nil && from != pml.ProcNull {
		c.engine.Within(func(in pml.Inside) {
			if in.Uses(b) {
				err = ErrInUse
			}
		})
	}
	return err
}

// expect is say for a buffer that a message is received into. It refuses one that has some memory twice.
func (c *Comm) expect(b *Buffer, of Element) error {
	c.say(b, of)
	if c.compares() && b.Layout != nil && btl.Twice(*b) {
		return ErrTwice
	}
	return nil
}
