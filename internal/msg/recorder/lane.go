package recorder

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/shm"
	"github.com/gopvas/gopvas/trace"
)

// patience is how long a rank waits for space in its buffer before it goes on without.
const patience = 100 * time.Millisecond

// ahead is how many records before it is written a record is fetched: the supervisor's CPU may have
// it in its cache. Stores are seen in order, so a slow one of a record keeps a message back.
const ahead = 4

// Lane is the writer's side of a ring. One goroutine at a time uses it.
type Lane struct {
	clock
	next    uint64 // records written
	limit   uint64 // as far as there was space when that was last looked at
	mask    uint64
	records []trace.Record
	lane    *lane
	event   *shm.Event
	lost    uint64 // not recorded since the last Lost event
}

// open returns a lane of a rank's buffer, nil if there is no buffer.
func open(buffer, first []byte, which int) *Lane {
	if buffer == nil {
		return nil
	}
	h := headOf(buffer)
	if h.magic != magic {
		return nil
	}
	records := recordsOf(buffer, which)
	return &Lane{
		clock: newClock(h), limit: uint64(len(records)), mask: uint64(len(records) - 1),
		records: records, lane: &h.lanes[which], event: &headOf(first).event,
	}
}

// Now returns the time in ticks, and publishes what was written before.
func (l *Lane) Now() uint64 {
	if watched || !l.counter {
		l.Publish()
		return l.now()
	}
	return publishTicks(&l.lane.head, l.next, &l.records[(l.next+ahead)&l.mask]) - l.base
}

// Publish has the supervisor see all that was written.
func (l *Lane) Publish() { atomic.StoreUint64(&l.lane.head, l.next) }

// put writes a record.
func (l *Lane) put(w0, w1, w2, w3 uint64) {
	if l.next == l.limit && !l.reserve(1) {
		l.lose()
		return
	}
	r := &l.records[l.next&l.mask]
	r[0], r[1], r[2], r[3] = w0, w1, w2, w3
	l.next++
	if l.next&(l.mask>>1) == 0 {
		l.half()
	}
}

// Put writes an event that is made of any number of records.
func (l *Lane) Put(list ...trace.Raw) {
	if l.next+uint64(len(list)) > l.limit && !l.reserve(uint64(len(list))) { // they stay together
		l.lose()
		return
	}
	for i := range list {
		w := list[i].Pack()
		l.put(w[0], w[1], w[2], w[3])
	}
}

// half wakes the supervisor, as half of the ring was filled.
func (l *Lane) half() {
	l.Publish()
	l.event.Notify()
}

// reserve makes sure that n records fit. It waits for it, unless the last wait was
// in vain.
func (l *Lane) reserve(n uint64) bool {
	if n > uint64(len(l.records))-2 {
		return false
	}
	if !l.fits(n) {
		if l.lost > 0 {
			return false
		}
		start := l.now()
		if !l.await(n) {
			return false
		}
		l.note(trace.Raw{Kind: trace.Stall, Ticks: start, Took: uint32(min(l.now()-start, 1<<32-1))})
	}
	if l.lost > 0 {
		l.note(trace.Raw{Kind: trace.Lost, Ticks: l.now(), Bytes: uint32(min(l.lost, 1<<32-1))})
		l.lost = 0
		l.lane.lost.Store(0)
	}
	return true
}

// lose counts an event that is not recorded. The supervisor sees the count, in case that there is
// never space for a Lost event.
func (l *Lane) lose() {
	l.lost++
	l.lane.lost.Store(l.lost)
}

// fits tells whether n records fit, and two that reserve itself writes.
func (l *Lane) fits(n uint64) bool {
	l.limit = l.lane.tail.Load() + uint64(len(l.records))
	return l.next+n+2 <= l.limit
}

// await asks the supervisor for space, and waits for it.
func (l *Lane) await(n uint64) (fits bool) {
	l.Publish()
	l.event.Signal()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	defer l.lane.space.SignalWhenDone(ctx)()
	err := l.lane.space.Wait(func() bool {
		fits = l.fits(n)
		return fits || ctx.Err() != nil
	})
	return fits && err == nil
}

// note writes a record that fits.
func (l *Lane) note(raw trace.Raw) {
	l.records[l.next&l.mask] = raw.Pack()
	l.next++
}
