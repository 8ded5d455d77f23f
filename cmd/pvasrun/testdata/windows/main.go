// Command windows does a known number of operations on a window.
package main

import (
	"errors"

	"github.com/gopvas/gopvas/mpi"
)

func main() { mpi.Run(use) }

func use(c *mpi.Comm) error {
	w, err := mpi.WinAllocateShared[int64](c, 100)
	if err != nil {
		return err
	}
	next, buf := (c.Rank()+1)%c.Size(), make([]int64, 10)
	errs := []error{w.Fence(), w.Put(buf, next, 0), w.Put(buf[:4], next, 20), w.Get(buf[:5], next, 40), w.Fence()}
	for range 3 {
		errs = append(errs, w.Accumulate(mpi.Sum[int64](), buf[:2], next, 60))
	}
	_, err = w.FetchAndOp(mpi.Sum[int64](), 1, next, 60)
	return errors.Join(append(errs, err, w.Fence(), w.Free())...)
}
