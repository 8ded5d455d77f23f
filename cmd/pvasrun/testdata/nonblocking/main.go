// Nonblocking, run by a test of pvasrun, makes one kind of nonblocking collective call as often as
// its second argument says, and checks the results.
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	times, err := strconv.Atoi(os.Args[2])
	mpi.Run(func(w *mpi.Comm) error {
		for range times {
			if err == nil {
				err = calls[os.Args[1]](w)
			}
		}
		return err
	})
}

var calls = map[string]func(*mpi.Comm) error{
	"ibarrier": func(w *mpi.Comm) error { return done(w.Ibarrier()) },
	"ibcast": func(w *mpi.Comm) error {
		buf := []int{w.Rank()}
		return expect(done(mpi.Ibcast(w, buf, w.Size()-1)), buf[0] == w.Size()-1)
	},
	"iallreduce": func(w *mpi.Comm) error {
		send, recv := []int{w.Rank()}, []int{0}
		return expect(done(mpi.Iallreduce(w, send, recv, mpi.Sum[int]())), recv[0] == w.Size()*(w.Size()-1)/2)
	},
	"iallgather": func(w *mpi.Comm) error {
		recv := make([]int, w.Size())
		return expect(done(mpi.Iallgather(w, []int{w.Rank()}, recv)), recv[1] == 1 && recv[w.Size()-1] == w.Size()-1)
	},
	"ialltoall": func(w *mpi.Comm) error {
		send, recv := make([]int, w.Size()), make([]int, w.Size())
		for i := range send {
			send[i] = 100*w.Rank() + i
		}
		return expect(done(mpi.Ialltoall(w, send, recv)),
			recv[1] == 100+w.Rank() && recv[w.Size()-1] == 100*(w.Size()-1)+w.Rank())
	},
}

func done(r mpi.Request, err error) error {
	if err == nil {
		_, err = r.Wait()
	}
	return err
}

func expect(err error, right bool) error {
	if err == nil && !right {
		return fmt.Errorf("wrong result of %s", os.Args[1])
	}
	return err
}
