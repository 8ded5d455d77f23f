// Command steady is a rank that sends messages and takes part in collectives of mixed sizes: steady SECONDS. It marks
// the end of Init, of a first round, of the time, and of Finalize for a tracer (testkit.CountCalls).
package main

import (
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

func mark(phase uintptr) { _, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, 0, 0, 1000+phase) }

func main() {
	seconds, err := strconv.ParseFloat(os.Args[1], 64)
	if err != nil {
		os.Exit(2)
	}
	mpi.Run(func(w *mpi.Comm) error {
		mark(1)
		r := newRound(w)
		for range 200 {
			if err := r.all(); err != nil {
				return err
			}
		}
		mark(2)
		begin := time.Now()
		for over := []int64{0}; over[0] == 0; {
			if err := r.all(); err != nil {
				return err
			}
			if w.Rank() == 0 && time.Since(begin).Seconds() >= seconds {
				over[0] = 1
			}
			if err := mpi.Bcast(w, over, 0); err != nil {
				return err
			}
		}
		mark(3)
		return nil
	})
	mark(4)
}

// round has the buffers of what is done again and again.
type round struct {
	w       *mpi.Comm
	out, in []float64
	sizes   []int
}

func newRound(w *mpi.Comm) *round {
	const most = 1 << 17 // of 8 bytes
	return &round{w: w, out: make([]float64, most), in: make([]float64, most),
		sizes: []int{1, 11, 100, 500, 3000, 10000, most / w.Size()}}
}

func (r *round) all() error {
	left, right := (r.w.Rank()+r.w.Size()-1)%r.w.Size(), (r.w.Rank()+1)%r.w.Size()
	for _, n := range r.sizes {
		if _, err := mpi.Sendrecv(r.w, r.out[:n], right, 1, r.in[:n], left, 1); err != nil {
			return err
		}
		if err := mpi.Allreduce(r.w, r.out[:n], r.in[:n], mpi.Sum[float64]()); err != nil {
			return err
		}
		if err := mpi.Alltoall(r.w, r.out[:n*r.w.Size()], r.in[:n*r.w.Size()]); err != nil {
			return err
		}
		if err := mpi.Bcast(r.w, r.in[:n], 0); err != nil {
			return err
		}
		q, err := mpi.Iallreduce(r.w, r.out[:n], r.in[:n], mpi.Sum[float64]())
		if err != nil {
			return err
		}
		if _, err := q.Wait(); err != nil {
			return err
		}
	}
	return r.w.Barrier()
}
