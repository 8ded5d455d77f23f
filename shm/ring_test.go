package shm

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// lapsBeforeOverflow is where tests let a ring start, so that the lap in its words
// wraps while they run.
const lapsBeforeOverflow = 3

// ringNearOverflow returns a ring in Go memory, so that the race detector sees it.
// All of its slots have been used up to a few laps before the overflow of the lap.
func ringNearOverflow(t testing.TB, slots int) (mem []byte, start uint64) {
	t.Helper()
	mem = aligned(RingSize(slots))
	r, err := viewRing(mem, slots)
	require.NoError(t, err)
	lap := uint64(1<<32 - lapsBeforeOverflow)
	start = lap * uint64(slots)
	r.head.tail.Store(start)
	r.head.head.Store(start << ownerBits)
	for i := range r.slots {
		r.slots[i].word.Store(lap << lapShift)
		r.owners[i].Store(lap << ownerBits)
	}
	return mem, start
}

func producer(t testing.TB, mem []byte, slots, owner int, start uint64) *Producer {
	t.Helper()
	p, err := NewProducer(mem, slots, owner)
	require.NoError(t, err)
	require.Equal(t, start, p.tail)
	return p
}

func consumer(t testing.TB, mem []byte, slots int, start uint64) *Consumer {
	t.Helper()
	c, err := NewConsumer(mem, slots)
	require.NoError(t, err)
	c.next, c.tail = start, start
	return c
}

func put(s *Slot, v uint64)  { binary.LittleEndian.PutUint64(s.Body[:], v) }
func get(s *Slot) (v uint64) { return binary.LittleEndian.Uint64(s.Body[:]) }
func push(p *Producer, v uint64, meta uint8) bool {
	s, pos := p.Claim()
	if s != nil {
		put(s, v)
		p.Publish(s, pos, meta)
	}
	return s != nil
}

func TestRingRefusesBadMemory(t *testing.T) {
	mem := aligned(RingSize(8))
	for _, slots := range []int{-8, 0, 2, 7, 9, 16, MaxSlots * 2} {
		_, err := NewConsumer(mem, slots)
		require.Error(t, err, "%d", slots)
		_, err = NewProducer(mem, slots, 0)
		require.Error(t, err, "%d", slots)
	}
	_, err := NewConsumer(aligned(RingSize(8) + 64)[8:], 8)
	require.ErrorContains(t, err, "no multiple of 64")
	for _, owner := range []int{-1, maxOwner + 1} {
		_, err = NewProducer(mem, 8, owner)
		require.ErrorContains(t, err, "producer")
	}
}

// TestRingAgainstOracle does random steps on a ring and on a slice.
func TestRingAgainstOracle(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	const slots = 8
	type entry struct {
		value     uint64
		meta      uint8
		published bool
	}
	mem, start := ringNearOverflow(t, slots)
	c := consumer(t, mem, slots, start)
	producers := []*Producer{producer(t, mem, slots, 0, start), producer(t, mem, slots, 70, start),
		producer(t, mem, slots, maxOwner, start)}
	var queue []*entry
	visible := 0 // taken since tail was last stored
	claimed := map[*entry]*Slot{}
	owner := map[*entry]*Producer{}
	at := map[*entry]uint64{}
	for step := range uint64(20000) {
		require.Equal(t, len(queue) == 0, c.Empty())
		var there, all []uint64
		c.Each(func(s *Slot) { there = append(there, get(s)) })
		for _, e := range queue {
			if e.published {
				all = append(all, e.value)
			}
		}
		require.Equal(t, all, there)
		switch p := producers[rng.IntN(3)]; rng.IntN(4) {
		case 0, 1:
			s, pos := p.Claim()
			require.Equal(t, len(queue)+visible < slots, s != nil, "step %d", step)
			if s != nil {
				e := &entry{value: step, meta: uint8(rng.Uint32())}
				queue, claimed[e], owner[e], at[e] = append(queue, e), s, p, pos
			}
		case 2:
			for e, s := range claimed {
				put(s, e.value)
				owner[e].Publish(s, at[e], e.meta)
				e.published = true
				delete(claimed, e)
				break
			}
		default:
			s, meta := c.Front()
			require.Equal(t, len(queue) > 0 && queue[0].published, s != nil)
			if s != nil {
				require.Equal(t, *queue[0], entry{get(s), meta, true})
				queue = queue[1:]
				if visible++; c.Pop() {
					visible = 0
				}
			} else if who, ok := c.Claimant(); len(queue) > 0 {
				require.True(t, ok)
				require.EqualValues(t, owner[queue[0]].owner, who)
			} else {
				require.False(t, ok)
			}
		}
	}
	require.Greater(t, c.next, uint64(1)<<32*slots, "the lap has wrapped")
}

// TestRingExactlyOnce: many producers, one consumer; every message comes once, those
// of one producer in order.
func TestRingExactlyOnce(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	const slots, producers, each = 16, 7, 6000
	mem, start := ringNearOverflow(t, slots)
	var room [producers]Event
	var arrived Event
	var wg sync.WaitGroup
	for i := range producers {
		p := producer(t, mem, slots, i, start)
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		wg.Go(func() {
			for n := range uint64(each) {
				err := room[i].Wait(func() bool {
					return push(p, n, uint8(i)) || p.Starve() && push(p, n, uint8(i))
				})
				if err != nil {
					t.Error(err)
				}
				arrived.Notify()
				if rng.IntN(100) == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	c := consumer(t, mem, slots, start)
	var next [producers]uint64
	for range producers * each {
		var s *Slot
		var meta uint8
		require.NoError(t, arrived.Wait(func() bool { s, meta = c.Front(); return s != nil }))
		require.Equal(t, next[meta], get(s), "producer %d", meta)
		next[meta]++
		if c.Pop() {
			for set, i := c.Starved(), 0; i < producers; i++ {
				if set>>i&1 != 0 {
					room[i].Notify()
				}
			}
		}
	}
	wg.Wait()
	s, _ := c.Front()
	require.Nil(t, s)
	require.Greater(t, c.next, uint64(1)<<32*slots, "the lap has wrapped")
}

// TestRingStepsOverTheDead: a producer killed between claim and publish holds up the
// queue until the consumer skips its slot; the others lose nothing.
func TestRingStepsOverTheDead(t *testing.T) {
	const slots = 8
	mem, start := ringNearOverflow(t, slots)
	c := consumer(t, mem, slots, start)
	live, dead := producer(t, mem, slots, 1, start), producer(t, mem, slots, 2, start)
	for lap := range uint64(40) {
		require.True(t, push(live, lap, 1))
		s, _ := dead.Claim()
		require.NotNil(t, s)
		require.True(t, push(live, lap+1000, 1))
		s, _ = c.Front()
		require.Equal(t, lap, get(s))
		_, ok := c.Claimant()
		require.False(t, ok, "the front is published")
		c.Pop()
		s, _ = c.Front()
		require.Nil(t, s, "what follows is not reached")
		who, ok := c.Claimant()
		require.True(t, ok)
		require.Equal(t, 2, who)
		c.Skip()
		s, _ = c.Front()
		require.Equal(t, lap+1000, get(s))
		c.Pop()
	}
}

func TestRingFullAndStarved(t *testing.T) {
	const slots = 8
	mem, start := ringNearOverflow(t, slots)
	c := consumer(t, mem, slots, start)
	p := producer(t, mem, slots, 65, start)
	for i := range uint64(slots) {
		require.True(t, push(p, i, 0))
	}
	s, _ := p.Claim()
	require.Nil(t, s)
	require.Zero(t, c.Starved())
	require.False(t, p.Starve())
	require.False(t, c.Pop(), "room is shown in quarters")
	require.False(t, p.Starve())
	require.True(t, c.Pop())
	require.EqualValues(t, 1<<1, c.Starved(), "producer 65 shares the bit of 1")
	require.Zero(t, c.Starved())
	require.True(t, push(p, 9, 0))
	require.True(t, p.Starve(), "there is room for one more")
}

// TestRingIdleProducer: one that has slept for laps goes on behind the others.
func TestRingIdleProducer(t *testing.T) {
	const slots = 8
	mem, start := ringNearOverflow(t, slots)
	c := consumer(t, mem, slots, start)
	busy, idle := producer(t, mem, slots, 1, start), producer(t, mem, slots, 2, start)
	for n := range uint64(101) {
		require.True(t, push(busy, n, 0))
		s, _ := c.Front()
		require.Equal(t, n, get(s))
		c.Pop()
	}
	require.True(t, push(idle, 7777, 3))
	s, meta := c.Front()
	require.EqualValues(t, 7777, get(s))
	require.EqualValues(t, 3, meta)
}

func TestRingAllocatesNothing(t *testing.T) {
	mem, start := ringNearOverflow(t, 8)
	c, p := consumer(t, mem, 8, start), producer(t, mem, 8, 1, start)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		push(p, 1, 0)
		c.Front()
		c.Pop()
	}))
}
