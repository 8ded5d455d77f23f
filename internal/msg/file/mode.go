package file

import (
	"fmt"
	"math/bits"
	"os"
)

// Mode says how a file is opened: MPI 5.0 section 14.2.1.
type Mode int

const (
	Append        Mode = 1
	Create        Mode = 2
	DeleteOnClose Mode = 4
	Exclusive     Mode = 8
	ReadOnly      Mode = 16
	ReadWrite     Mode = 32
	Sequential    Mode = 64
	UniqueOpen    Mode = 128
	WriteOnly     Mode = 256

	ways  = ReadOnly | ReadWrite | WriteOnly
	known = ways | Append | Create | DeleteOnClose | Exclusive | Sequential | UniqueOpen
)

// check returns an error unless the mode makes sense.
func (m Mode) check() error {
	switch {
	case m&^known != 0:
		return fmt.Errorf("%w: %#x is no mode", ErrMode, int(m&^known))
	case bits.OnesCount(uint(m&ways)) != 1:
		return fmt.Errorf("%w: pass one of three: to read, to write, or to read and write", ErrMode)
	case m&ReadOnly != 0 && m&(Create|Exclusive) != 0:
		return fmt.Errorf("%w: a file that is only read cannot be created: leave that out", ErrMode)
	case m&ReadWrite != 0 && m&Sequential != 0:
		return fmt.Errorf("%w: a sequential file is either read or written, not both", ErrMode)
	}
	return nil
}

// flags are those of open(2), for a rank that opens the file after another one has created it.
func (m Mode) flags() int {
	switch {
	case m&ReadOnly != 0:
		return os.O_RDONLY
	case m&WriteOnly != 0:
		return os.O_WRONLY
	}
	return os.O_RDWR
}

// creates are the flags of the rank that opens the file first.
func (m Mode) creates() int {
	flags := m.flags()
	if m&Create != 0 {
		flags |= os.O_CREATE
	}
	if m&Exclusive != 0 {
		flags |= os.O_EXCL
	}
	return flags
}
