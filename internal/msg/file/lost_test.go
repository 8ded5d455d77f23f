package file

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/mpi/fault"
)

// TestLostRank: a rank goes before a collective call, or in the middle of it. The others get an error that names it.
func TestLostRank(t *testing.T) {
	const n, lost = 4, 2
	for _, way := range waysOfTest {
		for _, inTheMiddle := range []bool{false, true} {
			for _, write := range []bool{true, false} {
				root := jobtest.Create(t, job.Config{Ranks: n, BTL: job.BTLSM, CPUs: 2}).Root()
				w, name := mem.New(root, mem.Options{}), filepath.Join(t.TempDir(), "file")
				jobtest.Ranks(t, root, func(rank int) error {
					c := comm.NewWorld(root, rank, w.Module(rank), comm.Settings{}, comm.Operators{})
					err := leave(c, name, way, rank == lost, inTheMiddle, write)
					if e, ok := errors.AsType[*fault.LostError](err); rank == lost || ok && e.Rank == lost {
						return nil
					}
					return fmt.Errorf("%s, in the middle %v, write %v: %v", way, inTheMiddle, write, err)
				})
			}
		}
	}
}

// A rank that finds in the memory of another one that it has gone tells those who do not read there.
func TestLostRankIsTold(t *testing.T) {
	require.Equal(t, &fault.LostError{Rank: 5}, errorOf(codeOf(at(0, &fault.LostError{Rank: 5}))))
}

// leave is one rank. That which is lost returns when the others are in the call, or are about to make it.
func leave(c *comm.Comm, name, way string, lost, inTheMiddle, write bool) error {
	f, err := Open(c, name, ReadWrite|Create, nil, nil)
	if err == nil {
		err = f.pretend(way, []int{0, 0, 2, 2})
	}
	if err != nil {
		return err
	}
	f.mover.window = 1 << 10
	if err := f.SetView(interleaved(c, 100), nil, nil); err != nil {
		return err
	}
	a := &Access{Write: true, Place: At(0), Memory: comm.Bytes(make([]byte, 5000))}
	if _, err := f.DoAll(a); err != nil {
		return err
	}
	a.Write = write
	if !lost {
		_, err := f.DoAll(a)
		return err
	}
	if !inTheMiddle {
		return nil
	}
	p, err := f.begin(a)
	if err != nil {
		return err
	}
	offers, err := f.exchange(offerOf(a, &p, nil))
	if err == nil && way != waysOfTest[0] {
		_, err = f.parties(offers)
	}
	if err == nil && (way == waysOfTest[2] || f.nodes != nil) {
		err = f.agree(nil) // now they send and receive
	}
	return err
}

// interleaved is a view that has every size-th block of the file.
func interleaved(c *comm.Comm, block int) View {
	piece, err := datatype.Contiguous(int64(block), datatype.Byte)
	if err == nil {
		piece, err = datatype.Resized(piece, 0, int64(c.Size()*block))
	}
	if err != nil {
		panic(err)
	}
	return View{Displacement: int64(c.Rank() * block), Element: datatype.Byte, Type: piece}
}
