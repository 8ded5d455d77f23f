package file

import (
	"encoding/binary"
	"errors"
	"syscall"

	"github.com/gopvas/gopvas/internal/coll"
	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/mpi/fault"
)

// gather returns what all ranks have brought, of the same length each, one after the other.
func (f *File) gather(mine []byte) ([]byte, error) {
	all := make([]byte, len(mine)*f.ranks.Size())
	err := comm.RunCollective(f.ranks, "file", &coll.Args{Kind: coll.Allgather, Send: coll.Buffer{Data: mine},
		Recv: coll.Buffer{Data: all, Block: len(mine)}})
	return all, err
}

// agree returns when all ranks have called it: nil if none of them has an error. The caller's own error comes first. A
// call that has begun with meet or tell goes on with it.
func (f *File) agree(mine error) error {
	all, err := f.gather(number(codeOf(mine)))
	if mine != nil {
		return mine
	}
	if err != nil {
		return err
	}
	for rank := range f.ranks.Size() {
		if code := numberIn(all, rank); code != 0 {
			return &fault.FileError{Rank: rank, Offset: -1, Err: errorOf(code)}
		}
	}
	return nil
}

// codeOf is the number by which a rank tells others of an error. It is 0 for none, and an errno above 0. Below 0 it is
// one of the causes, or the class of another error.
func codeOf(err error) int64 {
	if err == nil {
		return 0
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
	if code <= firstClass {
		return &RefusedError{int(firstClass - code)}
	}
	return causes[min(-1-code, int64(len(causes))-1)]
}

// number is a number as gather takes it, and numberIn that of a rank as gather returns it.
func number(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }

func numberIn(all []byte, rank int) int64 { return int64(binary.LittleEndian.Uint64(all[8*rank:])) }
