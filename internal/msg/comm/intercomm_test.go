package comm

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/coll"
)

// inter joins the even ranks with the odd ones.
func inter(c *Comm) (*Comm, error) {
	local, err := c.Split(c.Rank()%2, -c.Rank()) // in reverse: ranks differ from those of the job
	if err != nil {
		return nil, err
	}
	// The leaders are the last ranks of both: 0 and 1 of the world.
	return IntercommCreate(local, local.Size()-1, c, 1-c.Rank()%2, 5)
}

func TestIntercommunicator(t *testing.T) {
	for _, ranks := range []int{2, 3, 5, 8} {
		t.Run(fmt.Sprint("ranks=", ranks), func(t *testing.T) {
			overMem(t, ranks, 2, mem.Options{}, func(c *Comm) error {
				x, err := inter(c)
				if err != nil {
					return err
				}
				d, err := x.Dup()
				if err != nil {
					return err
				}
				i, r, err := d.Idup()
				if err != nil {
					return err
				}
				if _, err := r.Wait(); err != nil {
					return err
				}
				for _, x := range []*Comm{x, d, i} {
					if err := first(checkInter(c, x), allToRemote(x), x.Barrier()); err != nil {
						return err
					}
				}
				if how := x.Compare(d); how != Congruent {
					return fmt.Errorf("a copy is %d", how)
				}
				return first(i.Free(), d.Free(), checkMerge(c, x), x.Free())
			})
		})
	}
}

// checkInter looks at groups and passes messages around.
func checkInter(c, x *Comm) error {
	even, odd := (c.Size()+1)/2, c.Size()/2
	if c.Rank()%2 == 1 {
		even, odd = odd, even
	}
	if x.Size() != even || x.remote().Size() != odd || x.Group().Rank() != x.Rank() {
		return fmt.Errorf("%d and %d ranks", x.Size(), x.remote().Size())
	}
	requests := make([]Request, 0, 2*odd)
	in := make([]byte, odd)
	for peer := range odd {
		r, err := Irecv(x, in[peer:peer+1], 1, peer, 3)
		s, err2 := Isend(x, Standard, []byte{byte(10*peer + x.Rank())}, 1, peer, 3)
		if err := first(err, err2); err != nil {
			return err
		}
		requests = append(requests, r, s)
	}
	statuses := make([]Status, len(requests))
	if err := WaitAll(requests, statuses); err != nil {
		return err
	}
	for peer, b := range in {
		if int(b) != 10*x.Rank()+peer || statuses[2*peer].Source != peer {
			return fmt.Errorf("%d from rank %d, status %+v", b, peer, statuses[2*peer])
		}
	}
	return nil
}

// allToRemote sends each remote rank bytes of its own.
func allToRemote(x *Comm) error {
	n := x.remote().Size()
	var out, in []Buffer
	for peer := range n {
		out = append(out, Bytes([]byte{byte(x.Rank()), byte(peer)}))
		in = append(in, Bytes(make([]byte, 2)))
	}
	check := func() error {
		for peer, b := range in {
			if !slices.Equal(b.Bytes, []byte{byte(peer), byte(x.Rank())}) {
				return fmt.Errorf("got %v from rank %d", b.Bytes, peer)
			}
			clear(b.Bytes)
		}
		return nil
	}
	k := Across(x, "alltoall", out, in, coll.Hooks{})
	if err := first(k.Run(), check()); err != nil {
		return err
	}
	r, err := k.Begin()
	if err != nil {
		return err
	}
	if _, err := r.Wait(); err != nil {
		return err
	}
	return check()
}

// checkMerge has the odd ranks come first.
func checkMerge(c, x *Comm) error {
	m, err := Merge(x, c.Rank()%2 == 0)
	if err != nil {
		return err
	}
	odd := c.Size() / 2
	want := odd - 1 - c.Rank()/2
	if c.Rank()%2 == 0 {
		want = c.Size() - 1 - c.Rank()/2
	}
	if m.Rank() != want || m.Size() != c.Size() || m.remote() != nil {
		return fmt.Errorf("rank %d of %d, want %d", m.Rank(), m.Size(), want)
	}
	return first(m.Barrier(), m.Free())
}

// TestIntercommunicatorSplit: those of one color are joined if there are any on both sides.
func TestIntercommunicatorSplit(t *testing.T) {
	overMem(t, 6, 2, mem.Options{}, func(c *Comm) error {
		x, err := inter(c)
		if err != nil {
			return err
		}
		color := c.Rank() / 2 // 0: 0, 1; 1: 2, 3; 2: 4, 5
		if c.Rank() == 5 {
			color = 7
		}
		s, err := x.Split(color, 0)
		if err != nil {
			return err
		}
		if c.Rank() >= 4 {
			if s != nil {
				return fmt.Errorf("a communicator of one side")
			}
			return x.Free()
		}
		if s.Size() != 1 || s.remote().Size() != 1 {
			return fmt.Errorf("%d and %d ranks", s.Size(), s.remote().Size())
		}
		return first(allToRemote(s), s.Free(), x.Free())
	})
}

// TestIntercommunicatorMistakes: wrong arguments of one rank are an error of both groups.
func TestIntercommunicatorMistakes(t *testing.T) {
	overMem(t, 4, 2, mem.Options{}, func(c *Comm) error {
		local, err := c.Split(c.Rank()%2, c.Rank())
		if err != nil {
			return err
		}
		leader, want := 0, "the other group has passed bad arguments"
		switch c.Rank() {
		case 1:
			want = "rank 1 has passed bad arguments"
		case 2:
			want = "another rank of this group cannot join the groups"
		case 3:
			leader, want = 9, "rank 9"
		}
		_, err = IntercommCreate(local, leader, c, 1-c.Rank()%2, 0)
		return wantContains(err, want)
	})
}

func TestNotAnIntercommunicator(t *testing.T) {
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		_, err := Merge(c, false)
		require.ErrorIs(t, err, ErrNotInter)
		require.ErrorIs(t, Across(c, "bcast", nil, nil, coll.Hooks{}).Run(), ErrNotInter)
		_, err = IntercommCreate(c, 0, c, 0, 0)
		require.ErrorContains(t, err, "the remote leader is the local one")
		require.Nil(t, c.remote())
		return nil
	})
}
