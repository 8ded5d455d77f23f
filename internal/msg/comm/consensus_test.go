package comm

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/mpi/fault"
)

// agreeAll wants a flag of which each of some ranks has cleared its bit.
func agreeAll(c *Comm, members ...int) error {
	want := uint64(math.MaxUint64)
	for _, rank := range members {
		want &^= 1 << rank
	}
	for range 5 {
		if flag, err := Agree(c, ^(uint64(1) << c.Rank())); err != nil || flag != want {
			return fmt.Errorf("agree: %#x, %w, not %#x", flag, err, want)
		}
	}
	return nil
}

// Without --survive Agree is a reduction, of the members of any communicator, at once or behind others.
func TestAgreeIsAnd(t *testing.T) {
	overMem(t, 4, 2, mem.Options{}, func(c *Comm) error {
		turned, err := c.Split(0, -c.Rank())
		if err != nil {
			return err
		}
		flags := [3]uint64{uint64(c.Rank()) | 8, 7, ^uint64(c.Rank())}
		var requests [3]Request
		for i := range flags {
			if requests[i], err = Iagree(turned, flags[i], func(f uint64) { flags[i] = f }); err != nil {
				return err
			}
		}
		_, err = requests[2].Wait()
		for i := range 2 {
			_, other := requests[i].Wait()
			err = errors.Join(err, other)
		}
		if flags != [3]uint64{8, 7, ^uint64(3)} {
			return fmt.Errorf("%#x", flags)
		}
		return errors.Join(err, agreeAll(c, 0, 1, 2, 3), agreeAll(turned, 0, 1, 2, 3), turned.Free())
	})
}

// A member has failed: all others have the flag and one error, until all have acknowledged it. It makes no difference
// that the communicator was revoked.
func TestAgreeWithTheDead(t *testing.T) {
	for _, dead := range []int{0, 2} {
		t.Run(fmt.Sprint(dead), func(t *testing.T) {
			root, worlds := survivors(t, 4)
			root.MarkGone(dead)
			living := append(append([]*Comm(nil), worlds[:dead]...), worlds[dead+1:]...)
			require.Equal(t, 1, Acknowledge(living[0], 1))
			together(t, living, func(c *Comm) error {
				for range 3 {
					flag, err := Agree(c, ^(uint64(1) << c.Rank()))
					lost, ok := errors.AsType[*fault.LostError](err)
					if !ok || lost.Rank != dead || flag != ^uint64(15)|1<<dead {
						return fmt.Errorf("%#x, %w", flag, err)
					}
				}
				Acknowledge(c, 1)
				return nil
			})
			require.NoError(t, Revoke(living[1]))
			together(t, living, func(c *Comm) error {
				members := []int{living[0].Rank(), living[1].Rank(), living[2].Rank()}
				if err := agreeAll(c, members...); err != nil {
					return err
				}
				if err := c.Barrier(); !errors.Is(err, ErrRevoked) {
					return err
				}
				return nil
			})
		})
	}
}

// Members that agree on several communicators at a time, make them and free them, leave no memory behind.
func TestAgreementsGiveMemoryBack(t *testing.T) {
	_, worlds := survivors(t, 3)
	together(t, worlds, func(c *Comm) error {
		for round := range 100 {
			var made [3]*Comm
			for i := range made {
				n, err := Shrink(c)
				if err != nil {
					return err
				}
				if made[i] = n; n.Size() != 3 || n.Rank() != c.Rank() {
					return fmt.Errorf("%d of %d", n.Rank(), n.Size())
				}
				if err := agreeAll(n, 0, 1, 2); err != nil {
					return err
				}
			}
			for _, n := range made {
				if round%2 == 0 {
					if err := Revoke(n); err != nil {
						return err
					}
				}
				if err := n.Free(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for _, c := range worlds {
		require.LessOrEqual(t, c.agreements.Pages(), 2)
	}
}

// The members of a shrunk communicator are those that live, in their order; some that make another call are told.
func TestShrink(t *testing.T) {
	root, worlds := survivors(t, 5)
	root.MarkGone(0)
	root.MarkGone(3)
	require.NoError(t, Revoke(worlds[1]))
	living := []*Comm{worlds[1], worlds[2], worlds[4]}
	together(t, living, func(c *Comm) error {
		n, err := Shrink(c)
		if err != nil {
			return err
		}
		if ranks := fmt.Sprint(n.Group().ranks); ranks != "[1 2 4]" {
			return errors.New(ranks)
		}
		return errors.Join(n.Barrier(), agreeAll(n, 0, 1, 2), n.Free())
	})
	together(t, living, func(c *Comm) error {
		var err error
		before := idsInUse(c)
		if c.Rank() == 4 {
			_, err = Agree(c, 0)
		} else {
			_, err = Shrink(c)
		}
		if _, ok := errors.AsType[*fault.MismatchError](err); !ok {
			return fmt.Errorf("calls differ: %w", err)
		}
		if now := idsInUse(c); now != before {
			return fmt.Errorf("%d ids, and %d before", now, before)
		}
		return nil
	})
}

func idsInUse(c *Comm) int { return int(c.contexts.own.next) - len(c.contexts.own.returned) }

// scarce is memory of which some cannot be had.
type scarce struct {
	btl.Memory
	alloc, attach error
}

func (s scarce) Alloc(n int) ([]byte, uint64, error) {
	if s.alloc != nil {
		return nil, 0, s.alloc
	}
	return s.Memory.Alloc(n)
}

func (s scarce) Attach(peer int, at uint64, n int) ([]byte, error) {
	if s.attach != nil {
		return nil, s.attach
	}
	return s.Memory.Attach(peer, at, n)
}

// A member that cannot make its words, or read those of others, gets an error, and so does who waits for it.
func TestAgreementsWithoutMemory(t *testing.T) {
	for _, without := range []scarce{{alloc: errors.New("full")}, {attach: errors.New("no mapping left")}} {
		for poor := range 3 {
			_, worlds := survivors(t, 3)
			c := worlds[poor]
			without.Memory = c.engine.Routes().Memory(c.world())
			c.consensus = newCircle(c, without)
			before := idsInUse(worlds[2])
			together(t, worlds, func(c *Comm) error {
				for range 3 {
					_, first := Agree(c, 1)
					n, second := Shrink(c)
					if c.Rank() == poor && (first == nil || second == nil) {
						return fmt.Errorf("no error: %w, %w", first, second)
					}
					if without.alloc != nil && (first == nil || second == nil || n != nil) {
						return fmt.Errorf("rank %d takes no part: %w, %w", poor, first, second)
					}
				}
				return nil
			})
			if without.alloc != nil {
				require.Equal(t, before, idsInUse(worlds[2]))
			}
		}
	}
}
