package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

// rights wait for long and end well. What keeps them waiting is an event outside of messages: a timer stands for it.
var rights = []testCase{
	{"slow-rank-barrier", 4, first(slow((*mpi.Comm).Barrier), (*mpi.Comm).Barrier)},
	{"slow-rank-allreduce", 4, first(slow(allreduce), allreduce)},
	{"slow-sender", 2, first(slow(func(w *mpi.Comm) error { return send(w, bulky, 1, 1) }),
		func(w *mpi.Comm) error { return recv(w, 0, 1) })},
	{"slow-receiver", 2, first(slow(func(w *mpi.Comm) error { return recv(w, 1, 1) }),
		func(w *mpi.Comm) error { return send(w, bulky, 0, 1) })},
	{"slow-last-of-chain", 4, chain},
	{"computes", 3, first(computes, (*mpi.Comm).Barrier)},
	{"pipe", 3, first(pipe, (*mpi.Comm).Barrier)},
	{"signal", 3, first(bySignal, (*mpi.Comm).Barrier)},
	{"goroutine-sends", 2, goroutineSends},
	{"goroutine-receives", 3, goroutineReceives},
	{"polls", 3, first(polls, (*mpi.Comm).Barrier)},
	{"polls-probe", 2, first(slow(func(w *mpi.Comm) error { return send(w, short, 1, 1) }), pollsProbe)},
	{"context", 3, withContext},
	{"waitany", 3, waitAny},
	{"reduce-then-recv", 3, reduceThenRecv},
	{"gather-then-recv", 4, gatherThenRecv},
	{"slow-ibarrier", 3, first(slow(ibarrier), ibarrier)},
	{"slow-graph", 3, first(slow(ring), ring)},
	{"slow-communicator", 3, first(slow(dup), dup)},
	{"stopped", 3, stopped},
	{"all-wait-for-a-stopped-one", 4, stopped},
	{"slow-finalize", 3, first(slow(func(*mpi.Comm) error { return nil }), func(*mpi.Comm) error { return nil })},
	{"slow-window", 2, first(slow(window), window)},
	{"slow-window-lock", 4, windowLock},
	{"ping-pong", 2, pingPong},
	{"bulk", 2, bulk},
	{"buffers", 2, func(w *mpi.Comm) error { return errors.Join(send(w, short, next(w), 1), recv(w, next(w), 1)) }},
	{"ibarrier-by-a-goroutine", 3, behind(ibarrier)},
	{"dup-by-a-goroutine", 3, behind(dup)},
	{"window-by-a-goroutine", 3, behind(window)},
	{"freed", 3, besideAnother(freed)},
}

// slow does something after a while.
func slow(f func(w *mpi.Comm) error) func(w *mpi.Comm) error {
	return func(w *mpi.Comm) error {
		time.Sleep(long())
		return f(w)
	}
}

func dup(w *mpi.Comm) error {
	_, err := w.Dup()
	return err
}

func ibarrier(w *mpi.Comm) error {
	r, err := w.Ibarrier()
	if err == nil {
		_, err = r.Wait()
	}
	return err
}

func window(w *mpi.Comm) error {
	win, err := mpi.WinAllocateShared[byte](w, 64)
	if err != nil {
		return err
	}
	return win.Free()
}

// windowLock has ranks wait for one that holds a lock alone, then for some that hold it beside others.
func windowLock(w *mpi.Comm) error {
	win, err := mpi.WinAllocateShared[byte](w, 64)
	if err != nil {
		return err
	}
	alone, others := win.Lock, win.RLock
	if w.Rank() > 0 {
		alone, others = win.RLock, win.Lock
	}
	for _, lock := range []func(int) error{alone, others} {
		if w.Rank() == 0 {
			if err := lock(0); err != nil {
				return err
			}
		}
		if err := w.Barrier(); err != nil {
			return err
		}
		if w.Rank() == 0 {
			time.Sleep(long())
		} else if err := lock(0); err != nil {
			return err
		}
		if err := win.Unlock(0); err != nil {
			return err
		}
	}
	return win.Free()
}

// ring is a graph in which a token goes round.
func ring(w *mpi.Comm) error {
	g := mpi.NewGraph(w)
	buf := make([]int, 1)
	receive, send := mpi.RecvNode(g, buf, previous(w)), mpi.SendNode(g, buf, next(w))
	if w.Rank() == 0 {
		g.Connect(send, receive)
	} else {
		g.Connect(receive, send)
	}
	return issue(g)
}

// chain passes a message on, from a rank that is slow.
func chain(w *mpi.Comm) error {
	if w.Rank() == w.Size()-1 {
		time.Sleep(long())
	} else if err := recv(w, next(w), 1); err != nil {
		return err
	}
	if w.Rank() == 0 {
		return nil
	}
	return send(w, short, previous(w), 1)
}

func computes(w *mpi.Comm) error {
	for end := time.Now().Add(long()); time.Now().Before(end); {
	}
	return w.Barrier()
}

// pipe waits for another goroutine by a pipe.
func pipe(w *mpi.Comm) error {
	r, in, err := os.Pipe()
	if err != nil {
		return err
	}
	go func() {
		time.Sleep(long())
		in.Close()
	}()
	if _, err := io.ReadAll(r); err != nil {
		return err
	}
	return w.Barrier()
}

func bySignal(w *mpi.Comm) error {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	time.AfterFunc(long(), func() { syscall.Kill(os.Getpid(), syscall.SIGUSR1) })
	<-c
	return w.Barrier()
}

// goroutineSends has each rank receive what another goroutine of the other one sends later.
func goroutineSends(w *mpi.Comm) error {
	sent := make(chan error)
	go func() {
		time.Sleep(long())
		sent <- send(w, short, next(w), 1)
	}()
	return errors.Join(recv(w, previous(w), 1), <-sent)
}

// goroutineReceives has all ranks wait in a circle but for a goroutine of one.
func goroutineReceives(w *mpi.Comm) error {
	sent := make(chan error, 1)
	if w.Rank() == 0 {
		go func() {
			time.Sleep(long())
			sent <- send(w, short, w.Size()-1, 1)
		}()
	} else {
		sent <- nil
	}
	if err := recv(w, next(w), 1); err != nil {
		return err
	}
	if w.Rank() != 0 {
		return send(w, short, previous(w), 1)
	}
	return <-sent
}

func polls(w *mpi.Comm) error {
	r, err := mpi.Irecv(w, make([]byte, short), mpi.AnySource, 9)
	if err != nil {
		return err
	}
	for end := time.Now().Add(long()); time.Now().Before(end); {
		if _, done, err := r.Test(); done || err != nil {
			return errors.Join(errors.New("nobody sends"), err)
		}
	}
	err = r.Cancel() // while the others are there: a receive from any rank fails when all have gone
	_, waitErr := r.Wait()
	return errors.Join(err, waitErr, w.Barrier())
}

func pollsProbe(w *mpi.Comm) error {
	for {
		m, _, ok, err := mpi.Improbe(w, 0, 1)
		if err != nil {
			return err
		}
		if ok {
			r, err := mpi.Imrecv(&m, make([]byte, short))
			if err == nil {
				_, err = r.Wait()
			}
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// withContext has all ranks wait in a circle, and give up in turn.
func withContext(w *mpi.Comm) error {
	r, err := mpi.Irecv(w, make([]byte, short), next(w), 1)
	if err != nil {
		return err
	}
	if w.Rank() == 0 {
		ctx, cancel := context.WithTimeout(context.Background(), long())
		defer cancel()
		if _, err := r.WaitContext(ctx); !errors.Is(err, context.DeadlineExceeded) {
			return errors.Join(errors.New("the context did not end the wait"), err)
		}
		if err := send(w, short, previous(w), 1); err != nil {
			return err
		}
	}
	if _, err = r.Wait(); err == nil && w.Rank() != 0 {
		err = send(w, short, previous(w), 1)
	}
	return err
}

// waitAny has rank 0 wait for one of two messages: rank 1 waits for rank 0, and rank 2 is late.
func waitAny(w *mpi.Comm) error {
	switch w.Rank() {
	case 1:
		if err := recv(w, 0, 3); err != nil {
			return err
		}
		return send(w, short, 0, 1)
	case 2:
		time.Sleep(long())
		return send(w, short, 0, 2)
	}
	a, _ := mpi.Irecv(w, make([]byte, short), 1, 1)
	b, _ := mpi.Irecv(w, make([]byte, short), 2, 2)
	rs := []mpi.Request{a, b}
	if _, _, err := mpi.WaitAny(rs); err != nil {
		return err
	}
	if err := send(w, short, 1, 3); err != nil {
		return err
	}
	return mpi.WaitAll(rs, nil)
}

// reduceThenRecv has rank 1 do its part of a Reduce to rank 0, and wait for rank 0, before rank 2 comes. Rank 0 is
// there first.
func reduceThenRecv(w *mpi.Comm) error {
	time.Sleep(time.Duration(w.Rank()) * long() / 2)
	if err := mpi.Reduce(w, make([]int64, short), make([]int64, short), mpi.Sum[int64](), 0); err != nil {
		return err
	}
	if w.Rank() == 1 {
		return recv(w, 0, 1)
	}
	if w.Rank() == 0 {
		return send(w, short, 1, 1)
	}
	return nil
}

func gatherThenRecv(w *mpi.Comm) error {
	time.Sleep(time.Duration(w.Rank()) * long() / 3)
	if err := mpi.Gather(w, make([]byte, short), make([]byte, short*w.Size()), 0); err != nil {
		return err
	}
	if w.Rank() > 0 {
		return recv(w, 0, 1)
	}
	for rank := 1; rank < w.Size(); rank++ {
		if err := send(w, short, rank, 1); err != nil {
			return err
		}
	}
	return nil
}

// stopped has a process of rank 0 stop that, and have it go on when a message for it has long come. The others wait for
// it.
func stopped(w *mpi.Comm) error {
	if w.Rank() == 0 {
		if err := stopFor(long()); err != nil {
			return err
		}
		if err := recv(w, 1, 1); err != nil {
			return err
		}
		for rank := 1; rank < w.Size(); rank++ {
			if err := send(w, short, rank, 2); err != nil {
				return err
			}
		}
		return nil
	}
	if w.Rank() == 1 {
		time.Sleep(long() / 4) // the other one is stopped in its receive by then
		if err := send(w, short, 0, 1); err != nil {
			return err
		}
	}
	return recv(w, 0, 2)
}

// pingPong exchanges short messages for a while.
func pingPong(w *mpi.Comm) error {
	for range 20 {
		time.Sleep(long() / 40)
		if w.Rank() == 0 {
			if err := send(w, short, 1, 1); err != nil {
				return err
			}
		}
		if err := recv(w, 1-w.Rank(), 1); err != nil {
			return err
		}
		if w.Rank() == 1 {
			if err := send(w, short, 0, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// bulk sends long messages for a while, and both ranks wait for them.
func bulk(w *mpi.Comm) error {
	buf := make([]byte, 64<<20)
	for end := time.Now().Add(long()); ; {
		more := []byte{0}
		if time.Now().Before(end) {
			more[0] = 1
		}
		if err := mpi.Bcast(w, more, 0); err != nil || more[0] == 0 {
			return err
		}
		if w.Rank() == 0 {
			if err := mpi.Send(w, buf, 1, 1); err != nil {
				return err
			}
		} else if _, err := mpi.Recv(w, buf, 0, 1); err != nil {
			return err
		}
	}
}
