package pml

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

// A goroutine that sleeps in a wait finds the request taken by another when it goes on: the wait
// is one for nothing, and the operation, which is used again by then, stays as it is.
func TestTakenByAnother(t *testing.T) {
	for name, wait := range map[string]func(e *Engine, r *Request) (Status, error){
		"Wait": func(_ *Engine, r *Request) (Status, error) { return r.Wait() },
		"Waits": func(e *Engine, r *Request) (Status, error) {
			var w Waits
			w.Begin(e)
			defer w.End()
			return w.Wait(r)
		},
		"WaitContext": func(_ *Engine, r *Request) (Status, error) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			return r.WaitContext(ctx)
		},
		"AwaitAny": func(e *Engine, r *Request) (Status, error) {
			i, err := AwaitAny([]Request{{}, *r})
			require.Equal(t, -1, i)
			return noStatus, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, root := alone(t)
			r, err := e.Irecv(0, AnySource, 1, make([]byte, 8))
			require.NoError(t, err)
			taken := r
			over := make(chan struct{})
			go func() {
				defer close(over)
				st, err := wait(e, &r)
				require.NoError(t, err)
				require.Equal(t, noStatus, st)
			}()
			awaitSleep(root)
			e.threads.lock()
			end(e, taken.op)
			_, err = e.p.collect(&taken)
			require.NoError(t, err)
			again := e.p.newOperation(receiving, 0, AnySource, 2)
			e.threads.unlock()
			<-over
			require.Equal(t, idle, again.state)
			require.NotSame(t, again, e.p.newOperation(receiving, 0, AnySource, 2))
		})
	}
}

// AwaitAny goes on when another has taken one of its requests, and others are left.
func TestOneOfAnyTakenByAnother(t *testing.T) {
	e, root := alone(t)
	first, err := e.Irecv(0, AnySource, 1, make([]byte, 8))
	require.NoError(t, err)
	second, err := e.Irecv(0, AnySource, 2, make([]byte, 8))
	require.NoError(t, err)
	over := make(chan int)
	go func() {
		defer close(over)
		i, err := AwaitAny([]Request{first, second})
		require.NoError(t, err)
		over <- i
	}()
	awaitSleep(root)
	e.threads.lock()
	end(e, first.op)
	_, err = e.p.collect(&first)
	require.NoError(t, err)
	e.threads.unlock()
	e.threads.lock()
	end(e, second.op)
	e.threads.unlock()
	require.Equal(t, 1, <-over)
}

// alone is the engine of a rank that hears nothing.
func alone(t *testing.T) (*Engine, *job.Root) {
	root := jobtest.Create(t, job.Config{Ranks: 2, BTL: job.BTLSM, CPUs: 1}).Root()
	root.SetState(0, job.StateInit)
	root.SetState(1, job.StateInit)
	return New(root, 0, mem.New(root, mem.Options{}).Module(0)), root
}

// awaitSleep waits until rank 0 has said that it waits.
func awaitSleep(root *job.Root) {
	for {
		if _, says := root.Waiting(0); says {
			return
		}
		runtime.Gosched()
	}
}

// end completes a receive that has no message. The lock is held.
func end(e *Engine, op *operation) {
	e.p.match.In(op.context).Withdraw(&op.Receive)
	e.p.complete(op, nil)
}

// A goroutine that an operator has called steps aside until its receive is complete, and then takes it. Receives of
// other goroutines meanwhile leave the engine's own operation to it.
func TestReceiveThatSteppedAside(t *testing.T) {
	memory := jobtest.Create(t, job.Config{Ranks: 2, BTL: job.BTLSM, CPUs: 2})
	world := mem.New(memory.Root(), mem.Options{})
	sender, e := New(memory.Root(), 0, world.Module(0)), New(memory.Root(), 1, world.Module(1))
	for tag := range 2 {
		require.NoError(t, sender.Send(0, 1, tag, []byte{byte(tag)}, Standard))
	}
	first, second := btl.Buffer{Bytes: make([]byte, 1)}, btl.Buffer{Bytes: make([]byte, 1)}
	e.threads.lock()
	require.True(t, e.receiveFast(0, 0, 0, &first))
	require.Equal(t, complete, e.p.fast.state)
	e.threads.unlock() // it steps aside
	st, err := e.RecvBuffer(0, 0, 1, second)
	require.NoError(t, err)
	require.Equal(t, 1, st.Tag)
	require.Equal(t, complete, e.p.fast.state)
	require.Equal(t, 0, e.p.fast.status.Tag)
	require.Equal(t, []byte{0, 1}, append(first.Bytes, second.Bytes...))
}
