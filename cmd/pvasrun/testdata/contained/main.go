// Command contained is a rank program that uses more shared memory than a container has in /dev/shm: long messages, and
// a window. Rank 0 says how many ranks saw what they should. Buffers are where the linker has put them: ranks whose
// program begins at the same address have them at the same addresses.
package main

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/mpi"
)

var out, in [1 << 20]int64

const elements = 3 << 20 // of a rank in the window

func main() { mpi.Run(use) }

func use(c *mpi.Comm) error {
	n := c.Size()
	right, left := (c.Rank()+1)%n, (c.Rank()+n-1)%n
	for i := range out {
		out[i] = int64(c.Rank())
	}
	good, errs := true, []error(nil)
	for range 10 { // one way after the other is tried
		clear(in[:])
		_, err := mpi.Sendrecv(c, out[:], right, 0, in[:], left, 0)
		good, errs = good && in[0] == int64(left) && in[len(in)-1] == int64(left), append(errs, err)
	}
	w, err := mpi.WinAllocateShared[int64](c, elements)
	if err = errors.Join(append(errs, err)...); err != nil {
		return err
	}
	for i := range w.Local() {
		w.Local()[i] = int64(c.Rank())
	}
	err = errors.Join(w.Fence(), w.Get(in[:], right, 0), w.Put(out[:1], right, elements-1), w.Fence())
	good = good && in[len(in)-1] == int64(right) && w.Local()[elements-1] == int64(left)
	sum, err2 := mpi.AllreduceOne(c, map[bool]int{true: 1}[good], mpi.Sum[int]())
	if c.Rank() == 0 {
		fmt.Printf("%d of %d ranks are right\n", sum, n)
	}
	return errors.Join(err, err2, w.Free())
}
