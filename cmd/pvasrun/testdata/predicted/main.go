// Command predicted makes calls of one kind, whose time a model predicts: predicted KIND BYTES CALLS.
// It prints two times of all of them in ns. The first is what they would take if all blocks of calls took
// as long as the fastest quarter. In the other blocks another process may have taken a CPU away. The
// second is the time that they took.
package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	mpi.Run(func(w *mpi.Comm) error {
		if len(os.Args) != 4 {
			return fmt.Errorf("predicted: %d arguments: want a kind, bytes and calls", len(os.Args)-1)
		}
		bytes, err := strconv.Atoi(os.Args[2])
		if err != nil {
			return err
		}
		calls, err := strconv.Atoi(os.Args[3])
		if err != nil {
			return err
		}
		step := newCaller(w, bytes).steps()[os.Args[1]]
		if step == nil {
			return fmt.Errorf("predicted: no calls of kind %q", os.Args[1])
		}
		if err := w.Barrier(); err != nil {
			return err
		}
		start := time.Now()
		typical, err := timeBlocks(max(calls/block, 1), step)
		all := time.Since(start)
		if err == nil && w.Rank() == 0 {
			fmt.Println(typical.Nanoseconds()*int64(max(calls/block, 1)), all.Nanoseconds())
		}
		return err
	})
}

// block is the calls between two readings of the clock.
const block = 32

// timeBlocks makes blocks of calls, and returns the time that a quarter of them do not exceed.
func timeBlocks(blocks int, step func() error) (time.Duration, error) {
	times := make([]time.Duration, blocks)
	for i := range times {
		start := time.Now()
		for range block {
			if err := step(); err != nil {
				return 0, err
			}
		}
		times[i] = time.Since(start)
	}
	slices.Sort(times)
	return times[(len(times)-1)/4], nil
}

type caller struct {
	w            *mpi.Comm
	bytes        int
	out, in      []byte
	numbers, sum []int64
}

func newCaller(w *mpi.Comm, bytes int) *caller {
	c := &caller{w: w, bytes: bytes, out: make([]byte, bytes*w.Size()), in: make([]byte, bytes*w.Size())}
	for i := range c.out {
		c.out[i], c.in[i] = byte(i), 1 // no page is touched later for the first time
	}
	c.numbers, c.sum = make([]int64, max(bytes/8, 1)), make([]int64, max(bytes/8, 1))
	return c
}

func (c *caller) steps() map[string]func() error {
	return map[string]func() error{
		"pingpong":  c.pingPong,
		"ring":      c.ring,
		"barrier":   c.w.Barrier,
		"alltoall":  func() error { return mpi.Alltoall(c.w, c.out, c.in) },
		"allreduce": func() error { return mpi.Allreduce(c.w, c.numbers, c.sum, mpi.Sum[int64]()) },
	}
}

func (c *caller) pingPong() error {
	if c.w.Rank() == 0 {
		if err := mpi.Send(c.w, c.out[:c.bytes], 1, 1); err != nil {
			return err
		}
		_, err := mpi.Recv(c.w, c.in[:c.bytes], 1, 1)
		return err
	}
	if _, err := mpi.Recv(c.w, c.in[:c.bytes], 0, 1); err != nil {
		return err
	}
	return mpi.Send(c.w, c.out[:c.bytes], 0, 1)
}

// ring: each rank sends to the next while it receives from the last.
func (c *caller) ring() error {
	me, all := c.w.Rank(), c.w.Size()
	r, err := mpi.Irecv(c.w, c.in[:c.bytes], (me+all-1)%all, 2)
	if err != nil {
		return err
	}
	if err := mpi.Send(c.w, c.out[:c.bytes], (me+1)%all, 2); err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}
