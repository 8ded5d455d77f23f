// Command contained is a rank program that uses more shared memory than a container has in /dev/shm: long messages, and
// windows. Rank 0 says how many ranks saw what they should.
package main

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/mpi"
)

func main() { mpi.Run(use) }

func use(c *mpi.Comm) error {
	n := c.Size()
	right, left := (c.Rank()+1)%n, (c.Rank()+n-1)%n
	out, in := make([]int64, 4<<20), make([]int64, 4<<20)
	for i := range out {
		out[i] = int64(c.Rank())
	}
	_, err := mpi.Sendrecv(c, out, right, 0, in, left, 0)
	good := err == nil && in[0] == int64(left) && in[len(in)-1] == int64(left)
	w, err2 := mpi.WinAllocateShared[int64](c, 6<<20)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	copy(w.Local(), out)
	err = errors.Join(w.Fence(), w.Get(in[:1<<20], left, 0), w.Put(out[:1], right, len(out)), w.Fence())
	good = good && in[1<<20-1] == int64(left) && w.Local()[len(out)] == int64(left)
	sum, err2 := mpi.AllreduceOne(c, map[bool]int{true: 1}[good], mpi.Sum[int]())
	if c.Rank() == 0 {
		fmt.Printf("%d of %d ranks are right\n", sum, n)
	}
	return errors.Join(err, err2, w.Free())
}
