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
	require.False(e, c.Bed != nil && c.SleepIn != nil, "a module sleeps in its own bed, or in that of another")
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

// counting is a bed that counts how often somebody sleeps in it. It ends the first sleep.
type counting struct {
	shm.Bed
	sleeps atomic.Int32
}

func (b *counting) count(e *shm.Event) {
	if b.sleeps.Add(1) == 1 {
		e.Signal()
	}
}

func (b *counting) Nap(e *shm.Event, count uint32, limit time.Duration) bool {
	b.count(e)
	return b.Bed.Nap(e, count, limit)
}

func (b *counting) Doze(e *shm.Event, count uint32) error {
	b.count(e)
	return b.Bed.Doze(e, count)
}

// sleepInBed: Sleep uses the bed of SleepIn, and ends as without.
func sleepInBed(e *env) {
	sleepIn := e.Capabilities().SleepIn
	if sleepIn == nil {
		return
	}
	bed := &counting{Bed: shm.NewBed(nil, 0)}
	sleepIn(bed)
	slept := func() bool { return bed.sleeps.Load() > 0 }
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
