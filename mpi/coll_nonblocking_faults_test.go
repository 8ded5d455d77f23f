package mpi

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// result waits for what was begun, unless it could not be.
func result(r Request, err error) error {
	if err == nil {
		_, err = r.Wait()
	}
	return err
}

// nonblockingMistakes: those that need a rank hear of what it does wrong, nobody waits, and the communicator is as good
// as before.
func nonblockingMistakes(c *Comm) error {
	grid, err := CartCreate(c, []int{c.Size()}, []bool{true})
	if err != nil {
		return err
	}
	one, n := c.Size()-1, c.Size()
	ones := upTo(n, func(int) int { return 1 })
	counts, root, room, part := upTo(n, func(int) int { return 1 }), one, 2*n, 1
	if c.Rank() == one {
		counts[0], room, part = -1, room-1, 0
	}
	left, right := ring(c)
	for _, call := range []struct {
		what  string
		err   error
		hears bool // whether this rank needs the one
	}{
		{"alltoallv", result(Ialltoallv(grid.Comm, make([]int, n), counts, nil, make([]int, n), ones, nil)), true},
		{"allgather", result(Iallgather(grid.Comm, []int{1, 2}, make([]int, room))), true},
		{"scatterv", result(Iscatterv(grid.Comm, make([]int, n), counts, nil, make([]int, 1), root)), true},
		{"reduce", result(Iallreduce(grid.Comm, make([]int, 3), make([]int, 2+part), Sum[int]())), true},
		{"neighbors",
			result(IneighborAlltoallv(grid.Comm, make([]int, 2), []int{counts[0], 1}, nil,
				make([]int, 2), []int{1, 1}, nil)),
			left == one || right == one},
	} {
		if err := heardOf[*BufferError](call.err, one == c.Rank(), one, call.hears); err != nil {
			return fmt.Errorf("%s: %w", call.what, err)
		}
	}
	sum := []int{1}
	if err := first(result(grid.Ibarrier()), result(Iallreduce(grid.Comm, nil, sum, Sum[int]())),
		want("sum", sum[0], n)); err != nil {
		return fmt.Errorf("afterwards: %w", err)
	}
	return grid.Free()
}

// heardOf returns what is wrong with an error that comes of a mistake, of type E, of a rank.
func heardOf[E error](err error, own bool, rank int, hears bool) error {
	mismatch, differs := errors.AsType[*MismatchError](err)
	_, mistake := errors.AsType[E](err)
	switch {
	case own && !mistake:
		return fmt.Errorf("own mistake: %w", err)
	case !own && hears && (!differs || mismatch.Member != rank || !mismatch.Refused):
		return fmt.Errorf("%w, not an error that names rank %d", err, rank)
	case !own && !hears && err != nil && !differs: // it may have heard
		return fmt.Errorf("far away: %w", err)
	}
	return nil
}

// differentLengths: if calls are checked all hear of it.
func differentLengths(c *Comm) error {
	if !comm.Checked(c.inner()) {
		return nil
	}
	length := 5
	if c.Rank() == c.Size()-1 {
		length = 7
	}
	return mismatched(c, func(c *Comm) (Request, error) {
		return Iallgather(c, make([]int, length), make([]int, length*c.Size()))
	})
}

// mismatched makes a call, on a communicator of its own, that ends with an error.
func mismatched(c *Comm, call func(*Comm) (Request, error)) error {
	if c.Size() == 1 {
		return nil
	}
	one, err := c.Dup()
	if err != nil {
		return err
	}
	err = result(call(one))
	if _, ok := errors.AsType[*MismatchError](err); !ok {
		return fmt.Errorf("error is %w, not a mismatch", err)
	}
	return nil
}

// TestDifferentCalls: if calls are checked, calls end also that have not as many messages
// for one another.
func TestDifferentCalls(t *testing.T) {
	for what, call := range map[string]func(c *Comm, odd bool) (Request, error){
		"roots": func(c *Comm, odd bool) (Request, error) {
			if odd {
				return Ibcast(c, make([]int, 5), 1)
			}
			return Ibcast(c, make([]int, 5), 0)
		},
		"barrier": func(c *Comm, odd bool) (Request, error) {
			if odd {
				return c.Ibarrier()
			}
			return Iallreduce(c, nil, make([]int, 5), Sum[int]())
		},
		"pieces": func(c *Comm, odd bool) (Request, error) {
			n := 100_000
			if odd {
				n = 30_000
			}
			return Ibcast(c, make([]int, n), 0)
		},
		"nothing": func(c *Comm, odd bool) (Request, error) {
			g := NewGraph(c)
			g.Tie()
			if odd {
				return g.Issue()
			}
			return Ialltoall(c, make([]int, c.Size()), make([]int, c.Size()))
		},
	} {
		for _, ranks := range testkit.Counts(2, 3, 6) {
			t.Run(fmt.Sprintf("%s/ranks=%d", what, ranks), func(t *testing.T) {
				inOneSpaceBy(t, ranks, comm.Settings{Check: true}, func(c *Comm) error {
					for range 20 {
						one, err := c.Dup()
						if err != nil {
							return err
						}
						err = result(call(one, c.Rank() == c.Size()-1))
						if _, ok := errors.AsType[*MismatchError](err); !ok && err != nil {
							return err
						}
					}
					return c.Finalize()
				})
			})
		}
	}
}

// TestDifferentWays: of two members one executes its graph by messages, as it moves little, and
// the other one in shared memory. Neither meets anything of the other's graph. If calls are checked both are told.
func TestDifferentWays(t *testing.T) {
	short := func(c *Comm) (Request, error) { return Iallreduce(c, nil, make([]int, 5), Sum[int]()) }
	long := func(c *Comm) (Request, error) {
		return Iallgather(c, make([]int, 10_000), make([]int, 10_000*c.Size()))
	}
	inOneSpaceBy(t, 2, comm.Settings{Check: true}, func(c *Comm) error {
		for round := range 4 {
			d, err := c.Dup()
			if err != nil {
				return err
			}
			call := short
			if c.Rank() == round%2 {
				call = long
			}
			err = result(call(d))
			if _, ok := errors.AsType[*MismatchError](err); !ok {
				return fmt.Errorf("round %d: %v is no mismatch", round, err)
			}
			if err := wantContains(err, "allreduce"); err != nil {
				return err
			}
			if err := wantContains(err, "allgather"); err != nil {
				return err
			}
		}
		return c.Finalize()
	})
}

// panicInTheBackground: an operator panics, of this program or with what it has captured.
func panicInTheBackground(c *Comm) error {
	captured := c.Size()
	for name, op := range map[string]*Op[int]{
		"named": NewOp(explode, true),
		"captured": NewOp(func(inout, in []int) {
			if captured > 0 {
				panic("boom")
			}
		}, true),
	} {
		err := result(Iallreduce(c, nil, make([]int, 10), op))
		panicked, ok := errors.AsType[*OperatorError](err)
		switch {
		case c.Size() == 1:
			if err != nil {
				return err
			}
		case !ok || panicked.Rank < 0:
			return fmt.Errorf("%s: %v", name, err)
		case fmt.Sprint(panicked.Value) != "boom" && (panicked.Value != nil || panicked.Rank == c.Rank()):
			return fmt.Errorf("%s: panicked with %v", name, panicked.Value)
		}
	}
	return nil
}

func explode(inout, in []int) { panic("boom") }

// nonblockingUntilDeath has operations underway, on two communicators, until a rank is
// lost; the last kills itself meanwhile.
func nonblockingUntilDeath(c *Comm) error {
	if err := lastDies(c); err != nil {
		return err
	}
	other, err := ringOf(c)
	for i := 0; err == nil; i++ {
		var requests []Request
		for _, one := range []*Comm{c, other} {
			for _, op := range nonblockingOps(one, i%c.Size(), 1+i*1000%7000) {
				r, begun := op.begin()
				if err = begun; err != nil {
					break
				}
				requests = append(requests, r)
			}
		}
		err = errors.Join(err, WaitAll(requests, nil))
	}
	if _, ok := errors.AsType[*LostError](err); !ok {
		return err
	}
	return reportLost(c, err)
}

// TestNonblockingDeath kills one of four processes: each of the others gets an error that
// names it, or one that had it before.
func TestNonblockingDeath(t *testing.T) {
	rng := testkit.Rand(t)
	for range 8 {
		life := rng.IntN(60_000)
		for rank, e := range jobtest.Start(t, smJob(4), "nonblocking until death",
			fmt.Sprintf("LIFE=%d", life)).Wait() {
			if rank == 3 {
				require.Equal(t, syscall.SIGKILL, e.Signal, e.Stderr)
				continue
			}
			require.Equal(t, 3, e.Code, "life %d us: rank %d: %s", life, rank, e.Stderr)
			require.NotEmpty(t, e.Stdout)
		}
	}
}

// callAgain begins more operations than there is room for on one rank, and makes the call again. So it has made as many
// calls as the other rank, which asks it about one that is refused.
func callAgain(c *Comm) error {
	const comms, each = 4, 256
	long, word := make([]byte, 100_000), []int{0} // the long one is no call for the ring
	var dups []*Comm
	for range comms {
		d, err := c.Dup()
		if err != nil {
			return err
		}
		dups = append(dups, d)
	}
	var all []Request
	fill := func() error {
		for _, d := range dups {
			for range each {
				r, err := d.Ibarrier()
				if err != nil {
					return err
				}
				all = append(all, r)
			}
		}
		return nil
	}
	if c.Rank() == 0 {
		err := fill()
		_, full := Ibcast(c, long, 0)
		if err := first(err, wantIs("too many", full, ErrTooMany), Send(c, word, 1, 0)); err != nil {
			return err
		}
	} else {
		_, err := Recv(c, word, 0, 0)
		if err := first(err, fill()); err != nil {
			return err
		}
	}
	if err := first(WaitAll(all, nil), result(Ibcast(c, long, 0))); err != nil {
		return err
	}
	in := make([]int, 2-c.Rank()) // too few at rank 1
	err := result(Iallreduce(c, []int{1, 2}, in, Sum[int]()))
	if err := heardOf[*BufferError](err, c.Rank() == 1, 1, true); err != nil {
		return err
	}
	sum := []int{1}
	err = first(result(Iallreduce(c, nil, sum, Sum[int]())), want("sum", sum[0], 2))
	for _, d := range dups {
		err = first(err, d.Free())
	}
	return err
}

func TestCallAgain(t *testing.T) { inOneSpace(t, 2, callAgain) }
