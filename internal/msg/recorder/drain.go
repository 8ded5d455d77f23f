package recorder

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/trace"
)

// period is how often the supervisor looks by itself.
const period = 20 * time.Millisecond

// Drain takes the events of all ranks of a job and writes them to a file. It belongs to the
// supervisor.
type Drain struct {
	root  *job.Root
	clock clock
	start int64 // monotonic time of the base
	out   *bufio.Writer
	w     *trace.Writer
	err   error // why nothing is written any more
	lost  uint64
	stop  atomic.Bool
	done  chan struct{}
}

// Start makes the buffers of a job ready, whose ranks have not started, and begins to write
// its trace, in a goroutine that Close ends. It sets Ranks, TickNS, GapNS, EagerLimit and BaseNS
// of the description. The caller closes the file after Close.
func Start(root *job.Root, file io.Writer, m trace.Meta) (*Drain, error) {
	d := &Drain{root: root, out: bufio.NewWriterSize(file, 1<<16), done: make(chan struct{})}
	d.clock.counter = counterTrusted()
	d.clock.base = d.clock.now()
	tick := d.measure()
	if err := prepare(root, &d.clock, tick); err != nil {
		return nil, err
	}
	m.GapNS = tick * float64(gapOf(d.clock))
	m.Ranks, m.TickNS, m.EagerLimit, m.BaseNS = root.Ranks(), tick, root.Settings().EagerLimit, d.start
	var err error
	if d.w, err = trace.NewWriter(d.out, m); err != nil {
		return nil, err
	}
	d.tick()
	if err := d.out.Flush(); err != nil {
		return nil, fmt.Errorf("recorder: write trace: %w", err)
	}
	go d.run()
	return d, nil
}

// measure returns about how long a tick takes, in ns, and sets start.
func (d *Drain) measure() float64 {
	const long = 2 * time.Millisecond
	t0, ns0 := d.pair()
	d.start = ns0 - int64(t0) // as if ticks were ns
	if !d.clock.counter {
		return 1
	}
	time.Sleep(long)
	t1, ns1 := d.pair()
	tick := float64(ns1-ns0) / float64(t1-t0)
	d.start = ns0 - int64(float64(t0)*tick)
	return tick
}

// pair reads both clocks at one time: of several tries that which took least.
func (d *Drain) pair() (t uint64, ns int64) {
	least := ^uint64(0)
	for range 5 {
		before := d.clock.now()
		now := sys.Monotonic()
		after := d.clock.now()
		if after-before < least {
			least, t, ns = after-before, before+(after-before)/2, now
		}
	}
	return t, ns
}

// tick notes the clocks in the file.
func (d *Drain) tick() {
	t, ns := d.pair()
	d.note(d.w.Clock(0, t, time.Duration(ns-d.start)))
}

func (d *Drain) note(err error) {
	if d.err == nil {
		d.err = err
	}
}

func (d *Drain) run() {
	defer close(d.done)
	event := &headOf(d.root.TraceBuffer(0)).event
	ticked := time.Now()
	for !d.stop.Load() {
		count := event.Count()
		ctx, cancel := context.WithTimeout(context.Background(), period)
		end := event.SignalWhenDone(ctx)
		err := event.Wait(func() bool { return event.Count() != count || d.stop.Load() || d.due() })
		end()
		cancel()
		if err != nil {
			d.note(err)
			return
		}
		d.round()
		if time.Since(ticked) > time.Second {
			d.tick()
			ticked = time.Now()
		}
		d.flush()
	}
}

// due tells whether a rank has filled half of a lane, of which it notifies sleepers only.
func (d *Drain) due() bool {
	for rank := range d.root.Ranks() {
		buffer := d.root.TraceBuffer(rank)
		for which := range lanes {
			lane, size := &headOf(buffer).lanes[which], uint64(len(recordsOf(buffer, which)))
			if n := atomic.LoadUint64(&lane.head) - lane.tail.Load(); n >= size/2 && n <= size {
				return true
			}
		}
	}
	return false
}

func (d *Drain) flush() {
	if err := d.out.Flush(); err != nil {
		d.note(fmt.Errorf("recorder: write trace: %w", err))
	}
}

// round takes what all ranks have written.
func (d *Drain) round() {
	for rank := range d.root.Ranks() {
		for which := range lanes {
			d.take(rank, which)
		}
	}
}

// take takes what a rank has written to one lane.
func (d *Drain) take(rank, which int) {
	buffer := d.root.TraceBuffer(rank)
	records, lane := recordsOf(buffer, which), &headOf(buffer).lanes[which]
	head, tail := atomic.LoadUint64(&lane.head), lane.tail.Load()
	n, size := head-tail, uint64(len(records))
	if n == 0 || n > size { // more: the rank has written to its head by mistake
		return
	}
	if d.err != nil {
		d.lost += n
		lane.taken(head)
		return
	}
	from, to := tail&(size-1), (tail+n-1)&(size-1)+1
	if from < to {
		d.note(d.w.Events(rank, which, bytesOf(records[from:to])))
	} else {
		d.note(d.w.Events(rank, which, bytesOf(records[from:]), bytesOf(records[:to])))
	}
	lane.taken(head)
}

// taken gives the writer all records before head for use.
func (l *lane) taken(head uint64) {
	l.tail.Store(head)
	l.space.Notify()
}

// losses writes what ranks have not recorded at their end.
func (d *Drain) losses() {
	for rank := range d.root.Ranks() {
		h := headOf(d.root.TraceBuffer(rank))
		for which := range lanes {
			if n := h.lanes[which].lost.Load(); n > 0 && d.err == nil {
				raw := trace.Raw{Kind: trace.Lost, Ticks: d.clock.now(),
					Bytes: uint32(min(n, 1<<32-1)), Flags: trace.NoPeer}
				d.note(d.w.Events(rank, which, bytesOf([]trace.Record{raw.Pack()})))
			}
		}
	}
}

// Close writes what is left when all ranks have ended, and the end of the file. The error says
// that a part is missing. Close is called once, before the job's memory is unmapped.
func (d *Drain) Close() error {
	d.stop.Store(true)
	headOf(d.root.TraceBuffer(0)).event.Signal()
	<-d.done
	d.round()
	d.losses()
	d.tick()
	_, ns := d.pair()
	d.note(d.w.End(trace.End{Lost: d.lost, Seconds: float64(ns-d.start) / 1e9}))
	d.flush()
	if d.err != nil {
		return errors.Join(d.err,
			fmt.Errorf("recorder: the trace ends early: %d events were not written; what is in the file can be read",
				d.lost))
	}
	return nil
}
