package btltest

import (
	"reflect"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/shm"
)

// capabilities: the answer is always the same, and its fields keep to their bounds.
func capabilities(e *env) {
	c, again := e.Capabilities(), e.Capabilities()
	first, second := reflect.ValueOf(c), reflect.ValueOf(again)
	for i := range first.NumField() {
		require.Equal(e, first.Field(i).IsNil(), second.Field(i).IsNil(), first.Type().Field(i).Name)
	}
	require.NotNil(e, c.Memory, "a Module has memory")
	require.Equal(e, e.Name(), c.Memory.Name())
	require.Equal(e, e.Direct(), c.Memory.Direct())
	if c.Together != nil {
		c.Together(nil)
		c.Together([]btl.Member{{Peer: e.rank, Bytes: 1 << 20}, {Peer: (e.rank + 1) % e.root.Ranks(), Bytes: 1 << 20}})
	}
	p := newPost(e) // messages that were named before, or not, arrive alike
	for to := range e.root.Ranks() {
		p.send(to, 0, 1<<20)
		p.send(to, 1, 1<<20)
	}
	p.wait(2 * e.root.Ranks())
	e.barrier()
}

// parkElsewhere: Sleep parks where the waiter of SetWaiter does, and ends as without.
func parkElsewhere(e *env) {
	use := e.Capabilities().SetWaiter
	if use == nil {
		return
	}
	var sleeps atomic.Int32
	w := shm.NewWaiter(e.root.WaitPolicy())
	w.ParkIn(func(e *shm.Event, count uint32, _ time.Duration) (bool, error) {
		if sleeps.Add(1) == 1 { // it ends the first sleep
			e.Signal()
		}
		return true, e.Follow(count)
	})
	use(w)
	slept := func() bool { return sleeps.Load() > 0 }
	var late atomic.Bool // ends the sleep if it is elsewhere
	end := time.AfterFunc(time.Minute, func() { late.Store(true); e.Wake() })
	require.NoError(e, e.Sleep(func() bool { return slept() || late.Load() }, nil))
	end.Stop()
	require.True(e, slept(), "the rank sleeps elsewhere")
	e.barrier()
	p := newPost(e)
	for to := range e.root.Ranks() {
		p.send(to, 0, 100)
	}
	p.wait(e.root.Ranks())
	e.barrier()
}

// settled: a module is settled neither while its messages are on their way nor before it has handed over all that
// has come.
func settled(e *env) {
	ask := e.Capabilities().Settled
	last := e.root.Ranks() - 1
	if ask == nil || last == 0 {
		return
	}
	p := newPost(e)
	await := func() { // an acknowledgement is no event for Sleep
		for !ask() && !p.orphaned(func() bool { return false }) {
			p.progress()
		}
	}
	await()
	e.barrier()
	if e.rank == 0 {
		p.send(last, 0, 10)
		await() // the last rank has the message then
	}
	e.barrier()
	if e.rank == last {
		for range 100 {
			require.False(e, ask(), "a message was not handed over")
		}
		p.wait(1)
		await()
	}
	e.barrier()
}
