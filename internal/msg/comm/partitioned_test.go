package comm

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
)

// TestPartitionedMatch: the k-th send of a tag matches the k-th receive, whatever the tags of others are, and
// in whatever order the messages leave. The tags 0 and 1<<30 have been taken for one another.
func TestPartitionedMatch(t *testing.T) {
	tags := []int{0, 1 << 30, 0, 5, 1 << 30, 1 << 29, 0, MaxTag, 5}
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
		d, err := c.Split(0, -c.Rank()) // ranks differ from those of the job
		if err != nil {
			return err
		}
		if d.Rank() == 0 {
			return first(sendPartitioned(d, tags), d.Barrier(), d.Free())
		}
		return first(receivePartitioned(d, tags), d.Barrier(), d.Free())
	})
}

func sendPartitioned(d *Comm, tags []int) error {
	sends := make([]*Partitioned, len(tags))
	bufs := make([][]byte, len(tags))
	for i, tag := range tags {
		var err error
		bufs[i] = make([]byte, 100*(i%3+1)*(i%3+1)*20) // eager and long ones
		if sends[i], err = NewPartitioned(d, Bytes(bufs[i]), 1, tag); err != nil {
			return err
		}
	}
	for round := range 3 {
		reqs := make([]Request, len(tags))
		for i := range tags {
			var err error
			bufs[i][0] = byte(10*round + i)
			if reqs[i], err = sends[i].Begin(2); err != nil {
				return err
			}
		}
		for i := len(tags) - 1; i >= 0; i-- { // the last one leaves first
			if err := first(sends[i].Ready(), sends[i].Ready()); err != nil {
				return err
			}
		}
		if err := WaitAll(reqs, nil); err != nil {
			return err
		}
	}
	return nil
}

func receivePartitioned(d *Comm, tags []int) error {
	reqs, bufs := make([]Request, len(tags)), make([][]byte, len(tags))
	for i, tag := range tags {
		var err error
		bufs[i] = make([]byte, 20_000)
		if reqs[i], err = PartitionedRecvInit(d, Bytes(bufs[i]), 0, tag); err != nil {
			return err
		}
	}
	for round := range 3 {
		if err := StartAll(reqs); err != nil {
			return err
		}
		for i, tag := range tags {
			st, err := reqs[i].Wait()
			switch {
			case err != nil:
				return err
			case st.Source != 0 || st.Tag != tag || int(st.Bytes) != 100*(i%3+1)*(i%3+1)*20 ||
				int(bufs[i][0]) != 10*round+i:
				return fmt.Errorf("round %d, receive %d of tag %d: got %d, %+v", round, i, tag, bufs[i][0], st)
			}
		}
	}
	for i := range reqs {
		if err := reqs[i].Free(); err != nil {
			return err
		}
	}
	return nil
}

// TestPartitionedFreedUnused: a pair that is freed without a start leaves the next pair of the tag to itself.
func TestPartitionedFreedUnused(t *testing.T) {
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
		buf := []byte{7}
		if c.Rank() == 0 {
			if _, err := NewPartitioned(c, Bytes([]byte{3}), 1, 4); err != nil {
				return err
			}
			p, err := NewPartitioned(c, Bytes(buf), 1, 4)
			if err != nil {
				return err
			}
			r, err := p.Begin(1)
			if err := first(err, p.Ready()); err != nil {
				return err
			}
			_, err = r.Wait()
			return errors.Join(err, c.Barrier())
		}
		unused, err := PartitionedRecvInit(c, Bytes(make([]byte, 1)), 0, 4)
		if err := first(err, unused.Free()); err != nil {
			return err
		}
		buf[0] = 0
		r, err := PartitionedRecvInit(c, Bytes(buf), 0, 4)
		if err := first(err, r.Start()); err != nil {
			return err
		}
		if _, err := r.Wait(); err != nil || buf[0] != 7 {
			return fmt.Errorf("got %d, %w", buf[0], err)
		}
		return first(r.Free(), c.Barrier())
	})
}
