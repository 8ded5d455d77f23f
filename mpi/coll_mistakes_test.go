package mpi

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

func badCollectives(c *Comm) error {
	// Errors that are found before anything is sent.
	var bad *RankError
	err := Bcast(c, []int{1}, c.Size())
	if !errors.As(err, &bad) {
		return fmt.Errorf("bad root: %v", err)
	}
	var short *BufferError
	err = Allgather(c, []int{1, 2}, make([]int, 2*c.Size()-1))
	if !errors.As(err, &short) {
		return fmt.Errorf("short buffer: %v", err)
	}
	need := 2 * c.Size()
	text := fmt.Sprintf(
		"mpi: allgather: receive buffer: %d elements (%d bytes) are too few, %d elements (%d bytes) are needed",
		need-1, 8*(need-1), need, 8*need)
	if err := wantContains(err, text); err != nil {
		return err
	}
	n := c.Size() // what is longer than all blocks would be lost
	text = fmt.Sprintf("mpi: alltoall: send buffer: %d elements (%d bytes) are too many, %d element", n+1, 8*(n+1), n)
	if err := wantContains(Alltoall(c, make([]int, n+1), make([]int, n)), text); err != nil {
		return err
	}
	var typed *TypeError
	if err := Bcast(c, []*int{nil}, 0); !errors.As(err, &typed) {
		return fmt.Errorf("pointers: %v", err)
	}
	if err := first(
		wantContains(Allreduce(c, []int{1}, []int{1}, nil), "operator is nil"),
		wantContains(Alltoallv(c, []int{1}, []int{2}, nil, []int{1}, []int{2}, nil), "buffer"),
		wantContains(Alltoallv(c, []int{1}, nil, nil, []int{1}, nil, nil), "number of counts")); err != nil {
		return err
	}
	return mistakeOfOne(c)
}

// mistakeOfOne: if calls are checked, all others learn of it when that rank makes another call.
func mistakeOfOne(c *Comm) error {
	defer comm.SetCheck(c.inner(), comm.SetCheck(c.inner(), true))
	grid, err := CartCreate(c, []int{c.Size()}, []bool{true})
	if err != nil {
		return err
	}
	one, n := c.Size()-1, c.Size()
	ones := upTo(n, func(int) int { return 1 })
	counts, room, blocks := slices.Clone(ones), 2*n, n
	if c.Rank() == one {
		counts[0] = -1
		room--
		blocks = 3 * n
	}
	errs := map[string]error{
		"alltoallv": Alltoallv(c, make([]int, n), counts, nil, make([]int, n), ones, nil),
		"allgather": Allgather(c, []int{1, 2}, make([]int, room)),
		"scatter":   Scatter(c, make([]int, blocks), make([]int, 1), one),
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	errs["neighbors"] = NeighborAlltoallv(grid.Comm, make([]int, 2), []int{counts[0], 1}, nil,
		make([]int, 2), []int{1, 1}, nil)
	if err := grid.Barrier(); err != nil {
		return err
	}
	for what, err := range errs {
		var mismatch *MismatchError
		var mistake *BufferError
		switch {
		case c.Rank() == one:
			if !errors.As(err, &mistake) {
				return fmt.Errorf("%s: own mistake: %w", what, err)
			}
		case !errors.As(err, &mismatch) || mismatch.Member != one:
			return fmt.Errorf("%s: %w, not an error that names rank %d", what, err, one)
		}
	}
	return grid.Free()
}

// comparedTypes: with --check all ranks are told that one has called a collective with other types
// of as many bytes, and the next call works.
func comparedTypes(c *Comm) error {
	defer comm.SetCheck(c.inner(), comm.SetCheck(c.inner(), true))
	if c.Size() == 1 {
		return nil
	}
	ints, floats := make([]int32, 4), make([]float64, 2)
	pairs := make([][2]float64, 1)
	odd := c.Rank() == c.Size()-1
	for range 2 {
		var err error
		if odd {
			err = Bcast(c, ints, 0)
		} else {
			err = Bcast(c, floats, 0)
		}
		var wrong *ElementError
		if !errors.As(err, &wrong) {
			return fmt.Errorf("%v is no ElementError", err)
		}
		if err := first(wantContains(err,
			"called the same operation with different types: bcast of 16 bytes, root 0, of "),
			wantContains(err, "8-byte floating-point numbers"), wantContains(err, "4-byte integers")); err != nil {
			return err
		}
		if odd {
			err = Bcast(c, pairs, 0)
		} else {
			err = Bcast(c, floats, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func panickingOperator(c *Comm) error {
	bad := NewOp(func(inout, in []int) {
		if in[0] == 1 {
			panic("one")
		}
		inout[0] += in[0]
	}, true)
	recv := []int{0}
	err := Allreduce(c, []int{1}, recv, bad)
	var found *OperatorError
	if c.Size() > 1 && (!errors.As(err, &found) || found.Rank < 0 || found.Rank >= c.Size()) {
		return fmt.Errorf("error is %v", err)
	}
	return first(Allreduce(c, []int{2}, recv, bad), want("sum", recv[0], 2*c.Size()))
}
