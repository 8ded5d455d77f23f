package pml_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// column is a buffer of n bytes, in one piece or in pieces of eight bytes that are 24 bytes
// apart, with a last one that may be shorter.
type column struct {
	btl.Buffer
	layout datatype.Layout
}

func newColumn(n int, strided bool) (*column, error) {
	if !strided {
		return &column{Buffer: btl.Buffer{Bytes: make([]byte, n)}}, nil
	}
	full, rest := int64(n/8), int64(n%8)
	pieces, err := datatype.Hvector(full, 8, 24, datatype.Byte)
	if err != nil {
		return nil, err
	}
	whole, err := datatype.Struct([]int64{1, rest}, []int64{0, full * 24}, []*datatype.Type{pieces, datatype.Byte})
	if err != nil {
		return nil, err
	}
	c := &column{Buffer: btl.Buffer{Bytes: make([]byte, 24*(n/8+1))}}
	c.layout, err = whole.Times(1)
	c.Layout, c.Base = &c.layout, sys.AddrOf(c.Bytes)
	return c, err
}

// TestLayouts sends messages of all protocols between all ranks, with layouts at either end,
// and receives them in all ways.
func TestLayouts(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	everywhere(t, func(w *world) {
		w.run(func(e *pml.Engine, rank int) error {
			rng := rand.New(rand.NewPCG(seed, 0)) // the same on all ranks
			for range max(4, testkit.Rounds(12)) {
				for shift := range len(w.engines) {
					if err := exchangeColumns(e, rng, rank, shift, len(w.engines)); err != nil {
						return err
					}
				}
			}
			return e.Close()
		})
	})
}

// exchangeColumns sends a column to a rank and receives one from another.
func exchangeColumns(e *pml.Engine, rng *rand.Rand, rank, shift, ranks int) error {
	lengths := []int{0, 1, 8, 65, 100, 256, 4096, 4097, 30_000}
	n, kind := lengths[rng.IntN(len(lengths))], rng.IntN(4)
	room := []int{n, n, n / 2, n + 100}[rng.IntN(4)]
	mode, way := pml.Mode(rng.IntN(2)), rng.IntN(4)
	out, err := newColumn(n, kind&1 != 0)
	if err != nil {
		return err
	}
	in, err := newColumn(room, kind&2 != 0)
	if err != nil {
		return err
	}
	out.Unpack(lettersFrom(rank, n), 0)
	send, err := e.IsendBuffer(0, (rank+shift)%ranks, 7, out.Buffer, mode)
	if err != nil {
		return err
	}
	from := (rank + ranks - shift) % ranks
	st, err := receiveColumn(e, from, in.Buffer, way)
	if _, truncated := err.(*fault.TruncateError); truncated != (n > room) || err != nil && !truncated {
		return fmt.Errorf("receive of %d bytes into %d: %v", n, room, err)
	}
	if _, err := send.Wait(); err != nil {
		return err
	}
	got := make([]byte, min(n, room))
	in.Pack(got, 0)
	if int(st.Bytes) != len(got) || !bytes.Equal(got, lettersFrom(from, n)[:len(got)]) {
		return fmt.Errorf("%d bytes in way %d, layouts %b: wrong bytes", n, way, kind)
	}
	in.Unpack(make([]byte, room), 0)
	if !bytes.Equal(in.Bytes, make([]byte, len(in.Bytes))) {
		return fmt.Errorf("%d bytes in way %d, layouts %b: wrote between the pieces", n, way, kind)
	}
	return nil
}

func lettersFrom(rank, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + rank + i>>8 + 1)
	}
	return b
}

// receiveColumn receives in one of the ways that there are.
func receiveColumn(e *pml.Engine, from int, b btl.Buffer, way int) (pml.Status, error) {
	switch way {
	case 0:
		return e.RecvBuffer(0, from, 7, b)
	case 1:
		r, err := e.IrecvBuffer(0, from, 7, b)
		if err != nil {
			return pml.Status{}, err
		}
		return r.Wait()
	case 2:
		m, _, err := e.Mprobe(0, from, 7)
		if err != nil {
			return pml.Status{}, err
		}
		return e.Mrecv(&m, b)
	}
	r, err := e.RecvInit(0, from, 7, b)
	if err != nil {
		return pml.Status{}, err
	}
	if err := r.Start(); err != nil {
		return pml.Status{}, err
	}
	st, err := r.Wait()
	if free := r.Free(); err == nil {
		err = free
	}
	return st, err
}
