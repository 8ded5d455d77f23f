package mpi

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
)

// doneChannels: channels close when operations end, while the rank makes no call.
func doneChannels(c *Comm) error {
	left, right := ring(c)
	const n = 100
	in := make([]int, n)
	recvs := make([]Request, n)
	for i := range recvs {
		var err error
		if recvs[i], err = Irecv(c, in[i:i+1], left, i); err != nil {
			return err
		}
		if once := recvs[i].Done(); once != recvs[i].Done() {
			return errors.New("a request has two channels")
		}
	}
	select {
	case <-recvs[0].Done():
		return errors.New("complete before it was sent")
	default:
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	for i := range n {
		if err := SendOne(c, i, right, i); err != nil {
			return err
		}
	}
	for i := range recvs {
		<-recvs[n-1-i].Done()
	}
	for i := range recvs {
		_, done, err := recvs[i].Test()
		if err := first(err, want("done", done, true), want("value", in[i], i)); err != nil {
			return err
		}
		<-recvs[i].Done() // stands for nothing
	}
	return endsOfChannels(c, left)
}

// endsOfChannels: they close also by Cancel, and do not keep others from waiting.
func endsOfChannels(c *Comm, left int) error {
	r, err := Irecv(c, []int{0}, left, 1)
	if err != nil {
		return err
	}
	done, waited := r.Done(), make(chan error, 1)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = r.WaitContext(ctx)
	if err := first(wantIs("wait", err, context.DeadlineExceeded), r.Cancel()); err != nil {
		return err
	}
	<-done
	go func() {
		_, err := r.Wait()
		waited <- err
	}()
	var none *Request
	<-none.Done()
	return first(<-waited, c.Barrier())
}

func TestChannelsEndWithTheJob(t *testing.T) {
	var done <-chan struct{}
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		r, err := Irecv(c, []int{0}, 0, 1)
		done = r.Done()
		if err == nil {
			err = first(r.Cancel(), second(r.Wait()))
		}
		return err
	})
	<-done
}

// BenchmarkDone is all that Done costs a request: the channel, and its end. With open=10000 so many are open at a time.
func BenchmarkDone(b *testing.B) {
	for _, open := range []int{1, 100, 10_000} {
		for _, done := range []bool{false, true} {
			b.Run("open="+strconv.Itoa(open)+"/done="+strconv.FormatBool(done), func(b *testing.B) {
				overMem(b, 2, 2, mem.Options{}, func(c *Comm) error { return openRequests(c, b, open, done) })
			})
		}
	}
}

func openRequests(c *Comm, b *testing.B, open int, done bool) error {
	buf, recvs := make([]int, open), make([]Request, open)
	b.ReportAllocs()
	for round := 0; round < b.N; round += open {
		if c.Rank() == 0 {
			for i := range recvs {
				var err error
				if recvs[i], err = Irecv(c, buf[i:i+1], 1, i); err != nil {
					return err
				}
				if done {
					recvs[i].Done()
				}
			}
		}
		if err := c.Barrier(); err != nil {
			return err
		}
		for i := range recvs {
			if c.Rank() == 1 {
				if err := SendOne(c, i, 0, i); err != nil {
					return err
				}
				continue
			}
			if done {
				<-recvs[i].Done()
			}
			if _, err := recvs[i].Wait(); err != nil {
				return err
			}
		}
	}
	if n := runtime.NumGoroutine(); n > 100 {
		return fmt.Errorf("%d goroutines", n)
	}
	return nil
}
