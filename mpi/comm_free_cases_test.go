package mpi

import "github.com/gopvas/gopvas/internal/test/testkit"

func freeAndUse(c *Comm) error {
	d, err := c.Dup()
	if err != nil {
		return err
	}
	buf := []int32{0}
	persistent, err := SendInit(d, buf, ProcNull, 0)
	if err := first(err, pass(d, 1), d.Free(), persistent.Free()); err != nil {
		return err
	}
	_, dup := d.Dup()
	_, group := d.CreateGroup(d.Group(), 0)
	_, recv := Recv(d, buf, AnySource, 0)
	_, irecv := Irecv(d, buf, 0, 0)
	_, isend := Isend(d, buf, 0, 0)
	_, _, alloc := RecvAlloc[int32](d, 0, 0)
	_, exchange := Sendrecv(d, buf, 0, 0, buf, 0, 0)
	_, probe := Probe(d, 0, 0)
	_, _, iprobe := Iprobe(d, AnySource, AnyTag)
	_, _, mprobe := Mprobe(d, 0, 0)
	_, _, _, improbe := Improbe(d, 0, 0)
	for what, err := range map[string]error{
		"free": d.Free(), "dup": dup, "create group": group, "barrier": d.Barrier(),
		"send": Send(d, buf, 0, 0), "to nobody": Send(d, buf, ProcNull, 0), "isend": isend,
		"recv": recv, "irecv": irecv, "recv alloc": alloc, "sendrecv": exchange,
		"probe": probe, "iprobe": iprobe, "mprobe": mprobe, "improbe": improbe,
	} {
		if err := wantIs(what, err, ErrFreed); err != nil {
			return err
		}
	}
	return first(want("rank", d.Rank(), c.Rank()), wantIs("free of the world", c.Free(), ErrWorld), pass(c, 1))
}

func freeOften(c *Comm) error {
	ids := map[uint32]bool{}
	rounds := 50
	if testkit.Race {
		rounds = 8
	}
	for round := range rounds {
		var comms []*Comm
		for range 5 {
			d, err := c.Split(0, c.Rank()*(1-2*(round%2)))
			if err := first(err, pass(d, round)); err != nil {
				return err
			}
			ids[d.ID()] = true
			comms = append(comms, d)
		}
		for _, d := range comms {
			if err := d.Free(); err != nil {
				return err
			}
		}
	}
	// Five for each of two leaders, and one more while the last free is underway.
	return want("more than 12 ids", len(ids) > 12, false)
}

func freeWithReceive(c *Comm) error {
	d, err := c.Split(0, -c.Rank())
	if err != nil {
		return err
	}
	left, right := ring(d)
	buf := make([]int32, 20_000)
	r, err := Irecv(d, buf, AnySource, 5)
	if err != nil {
		return err
	}
	s, err := Isend(d, numbers(len(buf), d.Rank()), right, 5)
	if err := first(err, d.Free()); err != nil {
		return err
	}
	for range 3 {
		e, err := c.Split(0, -c.Rank()) // of the same leader
		if err := first(err, want("same ID", e.ID() == d.ID(), false),
			pass(e, 7), e.Free()); err != nil {
			return err
		}
	}
	st, err := r.Wait()
	_, sendErr := s.Wait()
	return first(err, sendErr, want("source", st.Source, left), checkNumbers(buf, left))
}

// freeUnderway frees communicators on which operations are underway or prepared: the ids are used again.
func freeUnderway(c *Comm) error {
	ids := map[uint32]bool{}
	left, right := ring(c)
	rounds := 800 // more than there can be with nonblocking operations at one time
	if testkit.Race {
		rounds = 60
	}
	for range rounds {
		d, err := c.Dup()
		if err != nil {
			return err
		}
		ids[d.ID()] = true
		in, out, sum := []int{0}, []int{c.Rank()}, []int{1}
		receive, err := Irecv(d, in, left, 0)
		send, sent := Isend(d, out, right, 0)
		reduce, reduced := Iallreduce(d, nil, sum, Sum[int]())
		prepared, initiated := SendInit(d, out, right, 1)
		if err := first(err, sent, reduced, initiated, d.Free(), prepared.Free()); err != nil {
			return err
		}
		_, received := receive.Wait()
		_, sent = send.Wait()
		_, reduced = reduce.Wait()
		err = first(received, sent, reduced, want("received", in[0], left), want("sum", sum[0], c.Size()))
		if err != nil {
			return err
		}
	}
	return want("more than 12 ids", len(ids) > 12, false)
}
