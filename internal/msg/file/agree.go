package file

import (
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/mpi/fault"
)

// call tells the collective calls on a file apart.
type call int64

const (
	opens call = iota
	closes
	setsSize
	preallocates
	syncs
	setsAtomicity
	setsView
	setsInfo
	seeksShared
	accesses // and those after it: by the kind of place, a read before a write
)

// callNames are the names of calls, in errors and in the report of a hang.
var callNames = [...]string{"MPI_File_open", "MPI_File_close", "MPI_File_set_size", "MPI_File_preallocate",
	"MPI_File_sync", "MPI_File_set_atomicity", "MPI_File_set_view", "MPI_File_set_info", "MPI_File_seek_shared",
	"MPI_File_read_at_all", "MPI_File_write_at_all", "MPI_File_read_all", "MPI_File_write_all",
	"MPI_File_read_ordered", "MPI_File_write_ordered"}

func (c call) String() string { return callNames[c] }

// doing is the collective call that is under way.
func (f *File) doing() string { return call(f.begun.Load()).String() }

// meet begins a collective call. bad is what is wrong with that of this rank. All ranks get an error unless they make
// the same call, pass the same numbers, and nothing is wrong with any of them. The caller's own error comes first.
func (f *File) meet(c call, bad error, alike ...int64) error {
	o := offer{Call: c, Code: codeOf(bad)}
	copy(o.Alike[:], alike)
	_, err := f.tell(o, bad)
	return err
}

// tell is exchange, and returns the error with which the call is refused, if it is.
func (f *File) tell(mine offer, bad error) ([]offer, error) {
	offers, err := f.exchange(mine)
	switch {
	case bad != nil:
		return nil, bad
	case err != nil:
		return nil, err
	}
	return offers, refused(offers)
}

// refused returns the error of the first rank that has one, or that does not do the same as the first.
func refused(offers []offer) error {
	first := &offers[0]
	for rank := range offers {
		switch o := &offers[rank]; {
		case o.Call != first.Call:
			return fmt.Errorf("%w: rank %d calls %v, rank 0 %v", ErrNotSame, rank, o.Call, first.Call)
		case o.Code != 0:
			return &fault.FileError{Rank: rank, Offset: -1, Err: errorOf(o.Code)}
		}
		for i, v := range offers[rank].Alike {
			if v != first.Alike[i] {
				return unlike(first, i, rank, v)
			}
		}
	}
	return nil
}

// unlike is the error of a rank that passes another number than rank 0, at a place of Alike.
func unlike(first *offer, at, rank int, number int64) error {
	what := ""
	if first.Call == setsView {
		if at == 0 {
			return fmt.Errorf("%w: rank %d passes another data representation than rank 0: pass the same", ErrNotSame,
				rank)
		}
		what = "an element type of extent "
	}
	return fmt.Errorf("%w: rank %d passes %s%d, rank 0 %d: pass the same", ErrNotSame, rank, what, number,
		first.Alike[at])
}

// agree returns when all ranks have called it: nil if none of them has an error. The caller's own error comes first. A
// call that has begun with meet or tell goes on with it.
func (f *File) agree(mine error) error {
	codes, err := comm.Tell(f.ranks, f.doing(), codeOf(mine))
	if mine != nil {
		return mine
	}
	if err != nil {
		return err
	}
	for rank, code := range codes {
		if code != 0 {
			return &fault.FileError{Rank: rank, Offset: -1, Err: errorOf(code)}
		}
	}
	return nil
}

// codeOf is the number by which a rank tells others of an error. It is 0 for none, and an errno above 0. Below 0 it is
// one of the causes, the class of another error, or a rank that is lost.
func codeOf(err error) int64 {
	if err == nil {
		return 0
	}
	if lost, ok := errors.AsType[*fault.LostError](err); ok {
		return firstLost - int64(lost.Rank)
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return int64(errno)
	}
	for i, cause := range causes {
		if errors.Is(err, cause) {
			return -1 - int64(i)
		}
	}
	if c, ok := errors.AsType[interface {
		error
		ErrorClass() int
	}](err); ok {
		return firstClass - int64(c.ErrorClass())
	}
	return -int64(len(causes)) // ErrRefused
}

// errorOf is the error of a number of codeOf.
func errorOf(code int64) error {
	if code > 0 {
		return syscall.Errno(code)
	}
	if code <= firstLost {
		return &fault.LostError{Rank: int(firstLost - code)}
	}
	if code <= firstClass {
		return &RefusedError{int(firstClass - code)}
	}
	return causes[min(-1-code, int64(len(causes))-1)]
}

// number is a number as gather takes it, and numberIn that of a rank as gather returns it.
func number(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }

func numberIn(all []byte, rank int) int64 { return int64(binary.LittleEndian.Uint64(all[8*rank:])) }
