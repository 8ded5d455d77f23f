package mpi

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
)

// pass sends numbers around the ring of c and checks who they are from, in all ways
// that name a source.
func pass(c *Comm, salt int) error {
	left, right := ring(c)
	const tag = 3
	out, err := Isend(c, numbers(4, salt+c.Rank()), right, tag)
	if err != nil {
		return err
	}
	buf := make([]int32, 4)
	st, err := Recv(c, buf, AnySource, tag)
	if err := first(err, want("source", st.Source, left), checkNumbers(buf, salt+left)); err != nil {
		return err
	}
	r, err := Irecv(c, buf, AnySource, AnyTag)
	if err != nil {
		return err
	}
	if err := Send(c, numbers(4, salt-c.Rank()), right, tag); err != nil {
		return err
	}
	reqs, statuses := []Request{r, out}, make([]Status, 2)
	return first(WaitAll(reqs, statuses),
		want("source", statuses[0].Source, left), want("count", statuses[0].Count, 4),
		checkNumbers(buf, salt-left))
}

// dupSeparatesMessages: same ranks, same tags, and still each message is received on
// the communicator it was sent on.
func dupSeparatesMessages(c *Comm) error {
	d, err := c.Dup()
	if err != nil {
		return err
	}
	e, err := d.Dup()
	if err != nil {
		return err
	}
	if err := first(want("rank", d.Rank(), c.Rank()), want("size", d.Size(), c.Size()),
		want("same group", d.Group().Equal(c.Group()), true)); err != nil {
		return err
	}
	left, right := ring(c)
	all := []*Comm{c, d, e}
	var sends []Request
	for i, comm := range all {
		r, err := Isend(comm, numbers(3, i), right, 0)
		if err != nil {
			return err
		}
		sends = append(sends, r)
	}
	for i, comm := range slices.Backward(all) {
		buf := make([]int32, 3)
		st, err := Recv(comm, buf, AnySource, AnyTag)
		if err := first(err, want("source", st.Source, left), checkNumbers(buf, i)); err != nil {
			return err
		}
	}
	return first(drain(sends), pass(e, 1), d.Free(), pass(e, 2), e.Free())
}

func splitEvenAndOdd(c *Comm) error {
	s, err := c.Split(c.Rank()%2, -c.Rank())
	if err != nil {
		return err
	}
	size := (c.Size() + 1 - c.Rank()%2) / 2
	world, err := s.Group().TranslateRanks([]int{s.Rank(), 0, s.Size() - 1}, c.Group())
	if err := first(err, want("size", s.Size(), size), want("rank", s.Rank(), size-1-c.Rank()/2),
		want("me", world[0], c.Rank()), want("first", world[1], 2*(size-1)+c.Rank()%2),
		want("last", world[2], c.Rank()%2)); err != nil {
		return err
	}
	// A rank that only the world has.
	_, err = Recv(s, []int32{0}, size, 0)
	bad, ok := errors.AsType[*RankError](err)
	if !ok || bad.Size != size || bad.Rank != size {
		return fmt.Errorf("rank %d of %d: %v", size, size, err)
	}
	return first(pass(s, 5), s.Barrier(), s.Free())
}

// splitRandomly compares splits, and splits of splits, with what they have to be.
func splitRandomly(c *Comm) error {
	type choice struct{ color, key, rank int }
	// All ranks draw the same numbers, so each knows all choices.
	random := rand.New(rand.NewPCG(7, uint64(c.Size())))
	for range 8 {
		choices := make([]choice, c.Size())
		for rank := range choices {
			choices[rank] = choice{random.IntN(3), random.IntN(4) - 2, rank}
		}
		mine := choices[c.Rank()]
		s, err := c.Split(mine.color, mine.key)
		if err != nil {
			return err
		}
		mates := slices.DeleteFunc(choices, func(o choice) bool { return o.color != mine.color })
		slices.SortStableFunc(mates, func(a, b choice) int { return cmp.Compare(a.key, b.key) })
		if err := want("size", s.Size(), len(mates)); err != nil {
			return err
		}
		for i, mate := range mates {
			parent, err := s.Group().TranslateRanks([]int{i}, c.Group())
			if err := first(err, want("member", parent[0], mate.rank)); err != nil {
				return err
			}
		}
		again, err := s.Split(s.Rank()/2, 0)
		if err != nil {
			return err
		}
		if err := first(pass(s, 9), pass(again, 11), again.Free(), s.Free()); err != nil {
			return err
		}
	}
	return nil
}

func splitUndefined(c *Comm) error {
	color := 1
	if c.Rank() == 0 {
		color = Undefined
	}
	s, err := c.Split(color, 0)
	if err != nil || c.Rank() == 0 {
		return first(err, want("no communicator", s, nil))
	}
	return first(want("size", s.Size(), c.Size()-1), pass(s, 1), s.Free())
}

// splitBadColor: the mistake of one rank is an error for all, and harms nothing.
func splitBadColor(c *Comm) error {
	color := 0
	if c.Rank() == c.Size()-1 {
		color = -5
	}
	_, err := c.Split(color, 0)
	text := fmt.Sprintf("rank %d has passed bad arguments", c.Size()-1)
	if color < 0 {
		text = "color -5 is negative"
	}
	d, dupErr := c.Dup()
	return first(wantContains(err, text), dupErr, pass(d, 1), d.Free())
}

func callsDoNotFit(c *Comm) error {
	if c.Size() == 1 {
		return nil
	}
	const text = "rank 1 does not call the same operation with the same arguments as rank 0"
	var err error
	if c.Rank() == 1 {
		_, err = c.Dup()
	} else {
		_, err = c.Split(0, 0)
	}
	if err := wantContains(err, text); err != nil {
		return err
	}
	_, err = CartCreate(c, []int{1 + c.Rank()%2}, []bool{false})
	return first(wantContains(err, text), c.Barrier())
}

func splitByType(c *Comm) error {
	shared, err := c.SplitType(Shared, -c.Rank())
	if err != nil {
		return err
	}
	space, err := c.SplitType(AddressSpace, 0)
	if err != nil {
		return err
	}
	size := 1
	if c.OneAddressSpace() {
		size = c.Size()
	}
	none, err := c.SplitType(Undefined, 0)
	_, badErr := c.SplitType(2, 0)
	return first(err, want("none", none, nil), want("size", shared.Size(), c.Size()),
		want("rank", shared.Rank(), c.Size()-1-c.Rank()), want("size of space", space.Size(), size),
		wantContains(badErr, "kind 2 is not known"),
		pass(shared, 1), pass(space, 2), shared.Free(), space.Free())
}

// createGroup makes a communicator of the odd ranks, in reverse, while the even ones
// know nothing of it.
func createGroup(c *Comm) error {
	var odd []int
	for rank := c.Size() - 1; rank >= 0; rank-- {
		if rank%2 == 1 {
			odd = append(odd, rank)
		}
	}
	g, err := c.Group().Incl(odd...)
	if err != nil {
		return err
	}
	none, err := c.CreateGroup(c.Group().Difference(c.Group()), 0)
	_, tagErr := c.CreateGroup(g, -1)
	if err := first(err, want("of nobody", none, nil), wantContains(tagErr, "tag -1 is outside")); err != nil {
		return err
	}
	if c.Rank()%2 == 0 {
		s, err := c.CreateGroup(g, 1)
		return first(err, want("not in it", s, nil))
	}
	s, err := c.CreateGroup(g, 1)
	if err != nil {
		return err
	}
	_, outsideErr := s.CreateGroup(c.Group(), 0)
	if err := wantContains(outsideErr, "of the group is not in the communicator"); err != nil {
		return err
	}
	return first(want("rank", s.Rank(), g.Rank()), want("size", s.Size(), len(odd)), pass(s, 1), s.Free())
}

// createGroupsAtOnce: goroutines of each rank make communicators of one parent, in
// orders that differ, told apart by the tag.
func createGroupsAtOnce(c *Comm) error {
	const n = 6
	comms := make([]*Comm, n)
	err := together(n, func(i int) error {
		tag := (i + c.Rank()) % n
		s, err := c.CreateGroup(c.Group(), tag)
		comms[tag] = s
		return err
	})
	if err != nil {
		return err
	}
	return together(n, func(i int) error { return first(pass(comms[i], i), comms[i].Free()) })
}

// createGroupsAtRandom: groups of any ranks in any order, several of which go on side by
// side, while those outside know nothing of them.
func createGroupsAtRandom(c *Comm) error {
	random := rand.New(rand.NewPCG(5, uint64(c.Size())))
	for round := range 12 {
		order := random.Perm(c.Size())
		cut := random.IntN(c.Size() + 1)
		for part, ranks := range [][]int{order[:cut], order[cut:]} {
			g, err := c.Group().Incl(ranks...)
			if err != nil {
				return err
			}
			s, err := c.CreateGroup(g, round*2+part)
			if err := first(err, want("member", s != nil, slices.Contains(ranks, c.Rank()))); err != nil {
				return err
			}
			if s == nil {
				continue
			}
			sum := []int{c.Rank()}
			total := 0
			for _, rank := range ranks {
				total += rank
			}
			if err := first(want("rank", ranks[s.Rank()], c.Rank()), want("same group", s.Group().Equal(g), true),
				Allreduce(s, nil, sum, Sum[int]()), want("sum", sum[0], total), s.Free()); err != nil {
				return err
			}
		}
	}
	return nil
}

// createFromGoroutines: from two parents at the same time, with messages meanwhile, and
// no two of the communicators are mixed up.
func createFromGoroutines(c *Comm) error {
	var parents [3]*Comm
	for i := range parents {
		p, err := c.Split(0, c.Rank()*(1-i))
		if err != nil {
			return err
		}
		parents[i] = p
	}
	var mu sync.Mutex
	seen := map[uint32]bool{c.ID(): true}
	err := together(len(parents), func(i int) error {
		for round := range 20 {
			s, err := parents[i].Split(round%2, 0)
			if err != nil {
				return err
			}
			mu.Lock()
			twice := seen[s.ID()]
			seen[s.ID()] = true
			mu.Unlock()
			if err := first(want("ID is used twice", twice, false), pass(s, i)); err != nil {
				return err
			}
			mu.Lock()
			delete(seen, s.ID())
			mu.Unlock()
			if err := s.Free(); err != nil {
				return err
			}
		}
		return nil
	})
	for _, p := range parents {
		err = first(err, p.Free())
	}
	return err
}

// freeOften: ids are used again, so that there are no more than at one time.
// freeWithReceive: what was begun before Free goes on, and nothing else gets it.
