package shm

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// nearOverflow returns events, in a Go slice so that the race detector sees them,
// whose counters wrap during the test.
func nearOverflow(n int) []Event {
	events := make([]Event, n)
	for i := range events {
		events[i].seq.Store(math.MaxUint32 - 20)
	}
	return events
}

func TestWaitReturnsAtOnceWhenReady(t *testing.T) {
	var e Event
	asked := 0
	require.NoError(t, e.Wait(func() bool { asked++; return true }))
	require.Equal(t, 1, asked)
	require.Zero(t, e.sleepers.Load())
}

func TestWaitAsksOnceBeforeItSleeps(t *testing.T) {
	var e Event
	asked, asleep := 0, -1
	require.NoError(t, e.Wait(func() bool {
		asked++
		if asleep < 0 && e.sleepers.Load() != 0 {
			asleep = asked
			return true
		}
		return false
	}))
	// One look, and the first one as a registered sleeper.
	require.Equal(t, 2, asleep)
	require.Zero(t, e.sleepers.Load(), "the waiter deregisters")
}

// TestSignalBetweenLookAndSleep: the condition becomes true, and is signalled, when
// the waiter has looked for the last time and does not sleep yet. It must not go
// to sleep then, or it would not wake up.
func TestSignalBetweenLookAndSleep(t *testing.T) {
	events := nearOverflow(1)
	e := &events[0]
	for range 100 { // past the overflow of seq
		open, asked := false, 0
		require.NoError(t, e.Wait(func() bool {
			asked++
			was := open
			if e.sleepers.Load() != 0 && !open { // the look after registration
				open = true
				e.Signal()
			}
			return was
		}))
		require.Equal(t, 3, asked)
	}
}

// TestConditionBetweenLookAndRegistration: what became true before the waiter was
// known as a sleeper, and so was not signalled to it, is seen by its next look.
func TestConditionBetweenLookAndRegistration(t *testing.T) {
	var e Event
	open := false
	require.NoError(t, e.Wait(func() bool {
		was := open
		open = true
		e.Signal() // finds no sleeper at the first look
		return was
	}))
}

func TestSignalWakesAllSleepers(t *testing.T) {
	events := nearOverflow(1)
	e := &events[0]
	var open atomic.Bool
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := e.Wait(open.Load); err != nil {
				t.Error(err)
			}
		})
	}
	for e.sleepers.Load() != 8 {
		time.Sleep(time.Millisecond) // nothing signals registration
	}
	open.Store(true)
	e.Signal()
	wg.Wait()
	require.Zero(t, e.sleepers.Load())
}

// TestASleeperThatWasKilledHurtsNobody: sleepers stays too high for ever.
func TestASleeperThatWasKilledHurtsNobody(t *testing.T) {
	var e Event
	e.sleepers.Store(3)
	var open atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := e.Wait(open.Load); err != nil {
			t.Error(err)
		}
	})
	open.Store(true)
	e.Signal()
	wg.Wait()
	require.EqualValues(t, 3, e.sleepers.Load())
}

// lookAndWait is Wait after some looks.
func lookAndWait(e *Event, looks int, ready func() bool) error {
	for range looks {
		if ready() {
			return nil
		}
	}
	return e.Wait(ready)
}

// TestExactlyOnce passes numbered tokens from producers to consumers through one
// slot. A lost wake-up makes it hang; a token that came twice or never is counted.
func TestExactlyOnce(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	const tokens, producers, consumers = 20000, 3, 3
	events := nearOverflow(2)
	full, empty := &events[0], &events[1]
	var slot, made, taken atomic.Uint32
	seen := make([]atomic.Uint32, tokens+1)

	var wg sync.WaitGroup
	for i := range producers {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		wg.Go(func() {
			for token := made.Add(1); token <= tokens; token = made.Add(1) {
				err := lookAndWait(empty, rng.IntN(50), func() bool { return slot.CompareAndSwap(0, token) })
				if err != nil {
					t.Error(err)
				}
				full.Signal()
			}
		})
	}
	for i := range consumers {
		rng := rand.New(rand.NewPCG(seed, 100+uint64(i)))
		wg.Go(func() {
			for taken.Load() < tokens {
				var token uint32
				err := lookAndWait(full, rng.IntN(50), func() bool {
					token = slot.Load()
					return taken.Load() >= tokens || token != 0 && slot.CompareAndSwap(token, 0)
				})
				if err != nil {
					t.Error(err)
				}
				if token == 0 || taken.Load() >= tokens {
					return // nothing was taken: all is done
				}
				seen[token].Add(1)
				if taken.Add(1) >= tokens {
					full.Signal() // the last one sends the other consumers home
				}
				empty.Signal()
			}
		})
	}
	wg.Wait()
	for token := 1; token <= tokens; token++ {
		require.EqualValues(t, 1, seen[token].Load(), "token %d", token)
	}
}

func TestWaitAllocatesNothing(t *testing.T) {
	var e Event
	var looks atomic.Uint32
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = e.Wait(func() bool { return looks.Add(1)%2 == 0 })
		e.Signal()
	}))
}

func BenchmarkEvent(b *testing.B) {
	b.Run("op=signal/sleepers=0", func(b *testing.B) {
		var e Event
		for b.Loop() {
			e.Signal()
		}
	})
	for _, spin := range []struct {
		name string
		n    int
	}{{"0", 0}, {"2000", 2000}} {
		b.Run("op=handshake/spin="+spin.name, func(b *testing.B) { handshake(b, spin.n) })
	}
}

// handshake measures a signal there and one back.
func handshake(b *testing.B, spin int) {
	var there, back Event
	var turn atomic.Uint64
	done := make(chan error)
	n := uint64(b.N)
	go func() {
		for i := uint64(0); i < n; i++ {
			if err := lookAndWait(&there, spin, func() bool { return turn.Load() == 2*i+1 }); err != nil {
				done <- err
				return
			}
			turn.Store(2*i + 2)
			back.Signal()
		}
		done <- nil
	}()
	for i := uint64(0); i < n; i++ {
		turn.Store(2*i + 1)
		there.Signal()
		if err := lookAndWait(&back, spin, func() bool { return turn.Load() == 2*i+2 }); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, <-done)
}

// After the end of SignalWhenDone the event is not touched, though the context ends at that moment.
func TestSignalWhenDoneEnds(t *testing.T) {
	for range 2000 {
		var e Event
		ctx, cancel := context.WithCancel(t.Context())
		end := e.SignalWhenDone(ctx)
		go cancel()
		end()
		e = Event{} // the race detector sees a signal that comes late
	}
	var e Event
	ctx, cancel := context.WithCancel(t.Context())
	end := e.SignalWhenDone(ctx)
	cancel()
	require.NoError(t, e.Wait(func() bool { return e.Count() == 1 }))
	end()
}
