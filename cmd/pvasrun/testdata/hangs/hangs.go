package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/gopvas/gopvas/mpi"
)

var hangs = []testCase{
	{"recv-self", 1, func(w *mpi.Comm) error { return recv(w, 0, 1) }},
	{"recv-any-alone", 1, func(w *mpi.Comm) error { return recv(w, mpi.AnySource, 1) }},
	{"ssend-self", 1, func(w *mpi.Comm) error { return mpi.Ssend(w, make([]byte, short), 0, 1) }},
	{"recv-ring-2", 2, func(w *mpi.Comm) error { return recv(w, next(w), 1) }},
	{"recv-ring-3", 3, func(w *mpi.Comm) error { return recv(w, next(w), 1) }},
	{"recv-ring-4", 4, func(w *mpi.Comm) error { return recv(w, next(w), 1) }},
	{"send-ring-2", 2, func(w *mpi.Comm) error { return send(w, bulky, next(w), 1) }},
	{"send-ring-4", 4, func(w *mpi.Comm) error { return send(w, bulky, next(w), 1) }},
	{"ssend-ring-3", 3, func(w *mpi.Comm) error { return mpi.Ssend(w, make([]byte, short), next(w), 1) }},
	{"send-many", 2, sendMany},
	{"probe-ring", 3, func(w *mpi.Comm) error { _, _, err := mpi.Mprobe(w, next(w), 1); return err }},
	{"recv-any", 4, func(w *mpi.Comm) error { return recv(w, mpi.AnySource, mpi.AnyTag) }},
	{"wrong-tag", 2, first(
		func(w *mpi.Comm) error { return recv(w, 1, 7) },
		func(w *mpi.Comm) error { return mpi.Ssend(w, make([]byte, short), 0, 8) })},
	{"waitall", 3, func(w *mpi.Comm) error { return mpi.WaitAll(both(w), nil) }},
	{"waitany", 3, func(w *mpi.Comm) error { _, _, err := mpi.WaitAny(both(w)); return err }},
	{"irecv-wait", 2, func(w *mpi.Comm) error {
		r, err := mpi.Irecv(w, make([]byte, short), next(w), 1)
		if err == nil {
			_, err = r.Wait()
		}
		return err
	}},
	{"isend-wait", 2, func(w *mpi.Comm) error {
		r, err := mpi.Isend(w, make([]byte, bulky), next(w), 1)
		if err == nil {
			_, err = r.Wait()
		}
		return err
	}},
	{"barrier-left-out", 3, first(func(w *mpi.Comm) error { return recv(w, 1, 1) }, (*mpi.Comm).Barrier)},
	{"allreduce-left-out", 4, first(func(w *mpi.Comm) error { return recv(w, 1, 1) }, allreduce)},
	{"alltoall-left-out", 4, first(func(w *mpi.Comm) error { return recv(w, 1, 1) }, func(w *mpi.Comm) error {
		return mpi.Alltoall(w, make([]byte, 4*w.Size()), make([]byte, 4*w.Size()))
	})},
	{"bcast-root-left-out", 3, first(func(w *mpi.Comm) error { return recv(w, 1, 1) }, func(w *mpi.Comm) error {
		return mpi.Bcast(w, make([]byte, short), 0)
	})},
	{"gather-left-out", 3, func(w *mpi.Comm) error {
		if w.Rank() == 1 {
			return recv(w, 0, 1)
		}
		if err := mpi.Gather(w, make([]byte, short), make([]byte, short*w.Size()), 0); err != nil {
			return err
		}
		return w.Barrier()
	}},
	{"barrier-then-send", 2, first(
		func(w *mpi.Comm) error { _ = w.Barrier(); return send(w, short, 1, 1) },
		func(w *mpi.Comm) error { _ = recv(w, 0, 1); return w.Barrier() })},
	{"dup-left-out", 3, first(func(w *mpi.Comm) error { return recv(w, 1, 1) },
		func(w *mpi.Comm) error { _, err := w.Dup(); return err })},
	{"split-left-out", 3, first(func(w *mpi.Comm) error { return recv(w, 1, 1) },
		func(w *mpi.Comm) error { _, err := w.Split(0, 0); return err })},
	{"two-communicators", 2, twoCommunicators},
	{"three-communicators", 3, threeCommunicators},
	{"ibarrier-left-out", 3, first(func(w *mpi.Comm) error { return recv(w, 1, 1) }, func(w *mpi.Comm) error {
		r, err := w.Ibarrier()
		if err == nil {
			_, err = r.Wait()
		}
		return err
	})},
	{"iallreduce-left-out", 4, first(func(w *mpi.Comm) error { return recv(w, 1, 1) }, func(w *mpi.Comm) error {
		r, err := mpi.Iallreduce(w, make([]int64, 100), make([]int64, 100), mpi.Sum[int64]())
		if err == nil {
			_, err = r.Wait()
		}
		return err
	})},
	{"ialltoall-left-out", 3, first(func(w *mpi.Comm) error { return recv(w, 1, 1) }, func(w *mpi.Comm) error {
		r, err := mpi.Ialltoall(w, make([]byte, 4*w.Size()), make([]byte, 4*w.Size()))
		if err == nil {
			_, err = r.Wait()
		}
		return err
	})},
	{"ibcast-order", 2, ibcastOrder},
	{"window-left-out", 2, first(func(w *mpi.Comm) error { return recv(w, 1, 1) }, func(w *mpi.Comm) error {
		_, err := mpi.WinAllocateShared[byte](w, 64)
		return err
	})},
	{"window-free-left-out", 2, windowFree},
	{"window-locks", 2, windowLocks},
	{"graph-cycle", 3, graphCycle},
	{"persistent", 2, persistent},
	{"cart-neighbours", 2, cartNeighbours},
	{"one-runs", 4, oneRuns},
	{"one-runs-collective", 4, oneRunsCollective},
}

func allreduce(w *mpi.Comm) error {
	return mpi.Allreduce(w, make([]int64, short), make([]int64, short), mpi.Sum[int64]())
}

func both(w *mpi.Comm) []mpi.Request {
	a, _ := mpi.Irecv(w, make([]byte, short), next(w), 1)
	b, _ := mpi.Irecv(w, make([]byte, short), previous(w), 2)
	return []mpi.Request{a, b}
}

func sendMany(w *mpi.Comm) error {
	for range manyOf {
		if err := send(w, 256, next(w), 1); err != nil {
			return err
		}
	}
	return recv(w, next(w), 2)
}

func twoCommunicators(w *mpi.Comm) error {
	a, err := w.Dup()
	if err != nil {
		return err
	}
	b, err := w.Dup()
	if err != nil {
		return err
	}
	if w.Rank() == 0 {
		a, b = b, a
	}
	if err := a.Barrier(); err != nil {
		return err
	}
	return b.Barrier()
}

// threeCommunicators has a pair of ranks each, which are used in a circle.
func threeCommunicators(w *mpi.Comm) error {
	var pairs [3]*mpi.Comm
	for i := range pairs {
		color := 0
		if w.Rank() == i {
			color = 1
		}
		var err error
		if pairs[i], err = w.Split(color, 0); err != nil {
			return err
		}
	}
	mine := [3][2]int{{1, 2}, {2, 0}, {0, 1}}[w.Rank()]
	if err := pairs[mine[0]].Barrier(); err != nil {
		return err
	}
	return pairs[mine[1]].Barrier()
}

// ibcastOrder has rank 1 wait for the second of two broadcasts whose root is rank 0, which begins one.
func ibcastOrder(w *mpi.Comm) error {
	n := 1 + w.Rank()
	var rs []mpi.Request
	for range n {
		r, err := mpi.Ibcast(w, make([]byte, bulky), 0)
		if err != nil {
			return err
		}
		rs = append(rs, r)
	}
	if err := mpi.WaitAll(rs, nil); err != nil {
		return err
	}
	return recv(w, 1-w.Rank(), 1)
}

func windowFree(w *mpi.Comm) error {
	win, err := mpi.WinAllocateShared[byte](w, 64)
	if err != nil {
		return err
	}
	if w.Rank() == 0 {
		return recv(w, 1, 1)
	}
	return win.Free()
}

// windowLocks has two ranks wait for the locks of each other.
func windowLocks(w *mpi.Comm) error {
	win, err := mpi.WinAllocateShared[byte](w, 64)
	if err != nil {
		return err
	}
	return errors.Join(win.Lock(w.Rank()), w.Barrier(), win.Lock(next(w)))
}

func persistent(w *mpi.Comm) error {
	r, err := mpi.RecvInit(w, make([]byte, short), next(w), 1)
	if err != nil {
		return err
	}
	if err := mpi.StartAll([]mpi.Request{r}); err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

// forever waits for a signal that does not come, outside of MPI.
func forever() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	<-c
}

// oneRuns has three ranks wait in a circle, and the last one for something else.
func oneRuns(w *mpi.Comm) error {
	if w.Rank() == 3 {
		forever()
	}
	return recv(w, (w.Rank()+1)%3, 1)
}

// oneRunsCollective has rank 0 begin to wait after the others have waited for it in a Reduce, and the last rank runs.
func oneRunsCollective(w *mpi.Comm) error {
	part, err := w.Split(w.Rank()/3, 0)
	if err != nil {
		return err
	}
	switch w.Rank() {
	case 3:
		forever()
	case 0:
		return recv(w, 1, 1)
	}
	return part.Barrier()
}

// graphCycle has each rank send what it has received from the one before it.
func graphCycle(w *mpi.Comm) error {
	g := mpi.NewGraph(w)
	buf := make([]int, 1)
	g.Connect(mpi.RecvNode(g, buf, previous(w)), mpi.SendNode(g, buf, next(w)))
	return issue(g)
}

func issue(g *mpi.Graph) error {
	g.Tie()
	r, err := g.Issue()
	if err == nil {
		_, err = r.Wait()
	}
	return err
}

// cartNeighbours has one of two neighbours leave out their exchange.
func cartNeighbours(w *mpi.Comm) error {
	c, err := mpi.CartCreate(w, []int{w.Size()}, []bool{true})
	if err != nil {
		return err
	}
	if w.Rank() == 0 {
		return recv(w, 1, 1)
	}
	return mpi.NeighborAllgather(c.Comm, make([]byte, short), make([]byte, 2*short))
}
