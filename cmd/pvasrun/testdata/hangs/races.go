package main

import (
	"os"
	"sync"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

// races have two goroutines of each rank in collective calls of one communicator, most often in different orders.
// Errors are overlooked, as C programs do that have the codes returned. Then all ranks meet.
var races = []testCase{
	{"ibarrier", 3, racing(ibarrier)},
	{"ibarrier-later", 3, later(ibarrier)},
	{"iallreduce", 3, racing(func(c *mpi.Comm) error { return iallreduce(c, short) })},
	{"iallreduce-long", 3, racing(func(c *mpi.Comm) error { return iallreduce(c, bulky) })},
	{"dup", 3, racing(dup)},
	{"idup", 3, racing(func(c *mpi.Comm) error {
		_, r, err := c.Idup()
		return wait(r, err)
	})},
	{"split", 3, racing(func(c *mpi.Comm) error {
		_, err := c.Split(0, c.Rank())
		return err
	})},
	{"win-create", 3, racing(func(c *mpi.Comm) error {
		_, err := mpi.WinCreate(c, make([]int, short))
		return err
	})},
	{"win-allocate-shared", 3, racing(window)},
	{"open-file", 3, racing(func(c *mpi.Comm) error {
		_, err := mpi.OpenFile(c, os.Args[0], mpi.FileReadOnly, nil)
		return err
	})},
	{"free", 3, racing(func(c *mpi.Comm) error { return c.Free() })},
	{"free-later", 3, later(func(c *mpi.Comm) error { return c.Free() })},
	{"barrier", 3, racing(func(c *mpi.Comm) error { return c.Barrier() })},
	{"bcast-long", 3, racing(func(c *mpi.Comm) error { return mpi.Bcast(c, make([]byte, bulky), 0) })},
}

// racing has one goroutine call Barrier and another one x, rank 1 in the other order.
func racing(x func(c *mpi.Comm) error) func(w *mpi.Comm) error {
	return func(w *mpi.Comm) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		return race(w, c, x)
	}
}

// later is racing on a communicator whose ranks have met.
func later(x func(c *mpi.Comm) error) func(w *mpi.Comm) error {
	return func(w *mpi.Comm) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		if err := c.Barrier(); err != nil {
			return err
		}
		return race(w, c, x)
	}
}

func race(w, c *mpi.Comm, x func(c *mpi.Comm) error) error {
	const apart = 100 * time.Millisecond // most often one is inside by then
	calls := []func(c *mpi.Comm) error{func(c *mpi.Comm) error { return c.Barrier() }, x}
	if c.Rank() == 1 {
		calls[0], calls[1] = calls[1], calls[0]
	}
	var wg sync.WaitGroup
	for i, call := range calls {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * apart)
			_ = call(c)
		})
	}
	wg.Wait()
	return w.Barrier()
}

func iallreduce(c *mpi.Comm, n int) error {
	return wait(mpi.Iallreduce(c, make([]int, n), make([]int, n), mpi.Sum[int]()))
}

func wait(r mpi.Request, err error) error {
	if err == nil {
		_, err = r.Wait()
	}
	return err
}

// behind has rank 0 make a call by a goroutine, after long, while it waits for what rank 1 does after that call.
func behind(x func(c *mpi.Comm) error) func(w *mpi.Comm) error {
	return func(w *mpi.Comm) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		if w.Rank() > 0 {
			if err := x(c); err != nil || w.Rank() > 1 {
				return err
			}
			return send(w, short, 0, 1)
		}
		called := make(chan error)
		go func() {
			time.Sleep(long())
			called <- x(c)
		}()
		if err := recv(w, 1, 1); err != nil {
			return err
		}
		return <-called
	}
}

// freed has a rank come late to calls of communicators that use the ids of others.
func freed(w *mpi.Comm) error {
	for late := range 4 {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		if w.Rank() == late {
			time.Sleep(long() / 4)
		}
		if err := c.Barrier(); err != nil {
			return err
		}
		if err := c.Free(); err != nil {
			return err
		}
	}
	return nil
}
