// Command predicted makes calls of one kind, whose time a model predicts: predicted KIND BYTES CALLS [DISTANCE].
// It prints two times of all of them in ns. The first is what they would take if all blocks of calls took
// as long as the fastest quarter. In the other blocks another process may have taken a CPU away. The
// second is the time that they took. With a distance in ns only those blocks count before and behind which the CPUs
// were that far apart; if these are few, it prints nothing.
package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/costs"
	"github.com/gopvas/gopvas/mpi"
)

func main() {
	mpi.Run(func(w *mpi.Comm) error {
		if len(os.Args) != 4 && len(os.Args) != 5 {
			return fmt.Errorf("predicted: %d arguments: want a kind, bytes, calls, and a distance or nothing",
				len(os.Args)-1)
		}
		bytes, err := strconv.Atoi(os.Args[2])
		if err != nil {
			return err
		}
		calls, err := strconv.Atoi(os.Args[3])
		if err != nil {
			return err
		}
		distance := 0.0
		if len(os.Args) == 5 {
			if distance, err = strconv.ParseFloat(os.Args[4], 64); err != nil {
				return err
			}
		}
		place, err := costs.NewPlace(w, distance)
		if err != nil {
			return err
		}
		if distance > 0 {
			if here, err := place.AllHere(); err != nil || !here {
				return err
			}
		}
		step := newCaller(w, bytes).steps()[os.Args[1]]
		if step == nil {
			return fmt.Errorf("predicted: no calls of kind %q", os.Args[1])
		}
		if err := w.Barrier(); err != nil {
			return err
		}
		times, err := timeBlocks(max(calls/block, 1), place, step)
		if err == nil && w.Rank() == 0 && len(times) > calls/block/2 {
			tell(times, max(calls/block, 1))
		}
		return err
	})
}

// tell prints two times of so many blocks. In the first each takes the lower quartile of the timed
// blocks, in the second their mean.
func tell(times []time.Duration, blocks int) {
	all := time.Duration(0)
	for _, t := range times {
		all += t
	}
	slices.Sort(times)
	fmt.Println(times[(len(times)-1)/4].Nanoseconds()*int64(blocks), all.Nanoseconds()*int64(blocks)/int64(len(times)))
}

// block is the calls between two readings of the clock.
const block = 32

// timeBlocks makes blocks of calls, and returns the times of those that were made at the place.
func timeBlocks(blocks int, place *costs.Place, step func() error) ([]time.Duration, error) {
	var times []time.Duration
	before := place.Here()
	for range blocks {
		start := time.Now()
		for range block {
			if err := step(); err != nil {
				return nil, err
			}
		}
		took := time.Since(start)
		here := place.Here()
		if before && here {
			times = append(times, took)
		}
		before = here
	}
	return times, nil
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
	for i := range c.numbers {
		c.numbers[i] = int64(i) // else all pages of what is only read would be the one page of zeros
	}
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
