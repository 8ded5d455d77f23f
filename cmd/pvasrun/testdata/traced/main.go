// Command traced is a program whose messages a test knows in advance.
package main

import (
	"fmt"
	"os"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	mpi.Run(func(w *mpi.Comm) error {
		for _, f := range []func(*mpi.Comm) error{pingPong, ring, nonblocking, persistent, wild, collectives} {
			if err := f(w); err != nil {
				return err
			}
		}
		if len(os.Args) > 1 && os.Args[1] == "die" && w.Rank() == 1 {
			os.Exit(7)
		}
		return nil
	})
}

// pingPong: ten messages each way between ranks 0 and 1, the last of them long.
func pingPong(w *mpi.Comm) error {
	for i := range 10 {
		buf := make([]byte, 8)
		if i == 9 {
			buf = make([]byte, 100000)
		}
		for turn := range 2 {
			var err error
			switch w.Rank() {
			case turn:
				err = mpi.Send(w, buf, 1-turn, i)
			case 1 - turn:
				_, err = mpi.Recv(w, buf, turn, i)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// ring: a message around, synchronous.
func ring(w *mpi.Comm) error {
	buf, last, next := make([]byte, 16), (w.Rank()+w.Size()-1)%w.Size(), (w.Rank()+1)%w.Size()
	if w.Rank() == 0 {
		if err := mpi.Ssend(w, buf, next, 77); err != nil {
			return err
		}
	}
	if _, err := mpi.Recv(w, buf, last, mpi.AnyTag); err != nil || w.Rank() == 0 {
		return err
	}
	return mpi.Ssend(w, buf, next, 77)
}

// nonblocking: each rank sends a long and a short message to each other one; the short ones
// are received first.
func nonblocking(w *mpi.Comm) error {
	var reqs []mpi.Request
	for peer := range w.Size() {
		if peer == w.Rank() {
			continue
		}
		for _, m := range []struct{ tag, bytes int }{{2, 32}, {1, 50000}} {
			r, err := mpi.Irecv(w, make([]byte, m.bytes), peer, m.tag)
			if err != nil {
				return err
			}
			reqs = append(reqs, r)
		}
		for _, m := range []struct{ tag, bytes int }{{1, 50000}, {2, 32}} {
			r, err := mpi.Isend(w, make([]byte, m.bytes), peer, m.tag)
			if err != nil {
				return err
			}
			reqs = append(reqs, r)
		}
	}
	return mpi.WaitAll(reqs, nil)
}

// persistent: three times the same message from rank 0 to rank 1.
func persistent(w *mpi.Comm) error {
	var r mpi.Request
	var err error
	switch w.Rank() {
	case 0:
		r, err = mpi.SendInit(w, make([]byte, 24), 1, 5)
	case 1:
		r, err = mpi.RecvInit(w, make([]byte, 24), 0, 5)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	for range 3 {
		if err := r.Start(); err != nil {
			return err
		}
		if _, err := r.Wait(); err != nil {
			return err
		}
	}
	return r.Free()
}

// wild: rank 0 receives from anybody, and to itself.
func wild(w *mpi.Comm) error {
	if w.Rank() != 0 {
		return mpi.Send(w, make([]byte, 4), 0, w.Rank())
	}
	seen := 0
	for range w.Size() - 1 {
		st, err := mpi.Recv(w, make([]byte, 4), mpi.AnySource, mpi.AnyTag)
		if err != nil {
			return err
		}
		seen += st.Source
	}
	if seen != w.Size()*(w.Size()-1)/2 {
		return fmt.Errorf("received from ranks that add up to %d", seen)
	}
	r, err := mpi.Isend(w, make([]byte, 12), 0, 9)
	if err != nil {
		return err
	}
	if _, err := mpi.Recv(w, make([]byte, 12), 0, 9); err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

func collectives(w *mpi.Comm) error {
	sum := make([]int64, 2)
	if err := mpi.Allreduce(w, []int64{1, int64(w.Rank())}, sum, mpi.Sum[int64]()); err != nil {
		return err
	}
	if err := mpi.Bcast(w, sum, 0); err != nil {
		return err
	}
	return w.Barrier()
}
