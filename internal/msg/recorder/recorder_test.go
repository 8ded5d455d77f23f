package recorder

import (
	"bytes"
	"errors"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/trace"
)

// newRoot returns the root block of a job whose ranks are goroutines.
func newRoot(t *testing.T, ranks, pages int) *job.Root {
	m, err := job.InHeap(job.Config{Ranks: ranks, BTL: job.BTLPvas, CPUs: 2, TraceSize: pages * os.Getpagesize()})
	require.NoError(t, err)
	return m.Root()
}

// TestRecord: what ranks have written is in the file, in their order, also if each lane is
// filled many times over.
func TestRecord(t *testing.T) {
	const ranks, events = 3, 20000
	root := newRoot(t, ranks, 4)
	var file bytes.Buffer
	d, err := Start(root, &file, trace.Meta{BTL: "pvas", CPUs: 2})
	require.NoError(t, err)
	var all sync.WaitGroup
	for rank := range ranks {
		all.Go(func() {
			r, nodes := New(root, rank), NewNodes(root, rank)
			for i := range events {
				start := r.Begin()
				if i%3 == 0 {
					nodes.Put(trace.Raw{Kind: trace.Node, Ticks: start, Number: uint32(i)})
				}
				r.Call(trace.Send, start,
					&What{Bytes: uint64(i) << 20, Number: r.Sent(2), Context: uint32(1000 + i%7),
						Tag: int32(i), Peer: 2})
			}
			r.Publish()
			nodes.Publish()
		})
	}
	all.Wait()
	require.NoError(t, d.Close())
	tr, err := trace.Read(&file)
	require.NoError(t, err)
	require.NoError(t, tr.Cut)
	for rank, r := range tr.Ranks {
		next, lost := 0, int(r.Lost)
		for i, e := range r.Events {
			if e.Kind != trace.Send {
				continue
			}
			require.LessOrEqual(t, e.Start, e.End)
			if lost == 0 {
				require.EqualValues(t, next, e.Tag, "event %d of rank %d", i, rank)
			}
			require.Less(t, next-1, int(e.Tag))
			next = int(e.Tag) + 1
			require.EqualValues(t, int(e.Tag)<<20, e.Bytes)
			require.EqualValues(t, e.Tag+1, e.Message)
			require.EqualValues(t, 1000+e.Tag%7, e.Context)
			require.EqualValues(t, 2, e.Peer)
		}
		assert.Positive(t, next)
		if lost == 0 {
			assert.Equal(t, events, next)
			assert.Equal(t, (events+2)/3, count(r.Nodes, trace.Node))
		}
	}
}

// count returns how many events are of a kind.
func count(list []trace.Event, k trace.Kind) (n int) {
	for i := range list {
		if list[i].Kind == k {
			n++
		}
	}
	return n
}

// TestLost: without a supervisor that reads, a rank goes on and counts what is missing.
func TestLost(t *testing.T) {
	root := newRoot(t, 1, 4)
	var file bytes.Buffer
	d, err := Start(root, &file, trace.Meta{BTL: "pvas", CPUs: 2})
	require.NoError(t, err)
	d.stop.Store(true)
	headOf(root.TraceBuffer(0)).event.Signal()
	<-d.done
	r := New(root, 0)
	r.long = math.MaxUint64 // no sample of CPU time is among the lost
	const events = 5000
	for i := range events {
		r.Call(trace.Barrier, r.Now(), &What{Number: uint32(i), Peer: -1})
	}
	r.Publish()
	d.round() // now there is space again
	r.Call(trace.Barrier, r.Now(), &What{Number: events, Peer: -1})
	r.Publish()
	d.done = make(chan struct{})
	close(d.done)
	require.NoError(t, d.Close())
	tr, err := trace.Read(&file)
	require.NoError(t, err)
	barriers := count(tr.Ranks[0].Events, trace.Barrier)
	assert.EqualValues(t, events+1, barriers+int(tr.Lost()))
	assert.Positive(t, tr.Lost())
	assert.EqualValues(t, events, tr.Ranks[0].Events[len(tr.Ranks[0].Events)-1].Request)
}

// TestLostAtTheEnd: also what is missing at the end is counted.
func TestLostAtTheEnd(t *testing.T) {
	root := newRoot(t, 1, 4)
	var file bytes.Buffer
	d, err := Start(root, &file, trace.Meta{BTL: "pvas", CPUs: 2})
	require.NoError(t, err)
	d.stop.Store(true)
	headOf(root.TraceBuffer(0)).event.Signal()
	<-d.done
	r := New(root, 0)
	r.long = math.MaxUint64 // no sample of CPU time is among the lost
	const events = 5000
	for i := range events {
		r.Call(trace.Barrier, r.Now(), &What{Number: uint32(i), Peer: -1})
	}
	r.Publish()
	require.NoError(t, d.Close())
	tr, err := trace.Read(&file)
	require.NoError(t, err)
	assert.EqualValues(t, events, count(tr.Ranks[0].Events, trace.Barrier)+int(tr.Lost()))
}

// full is a disk with little space.
type full struct {
	bytes.Buffer
	space int
}

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if f.Len()+len(b) > f.space {
		n, _ := f.Buffer.Write(b[:f.space-f.Len()])
		return n, errFull
	}
	return f.Buffer.Write(b)
}

// TestFullDisk costs what is not written, and the job nothing.
func TestFullDisk(t *testing.T) {
	root := newRoot(t, 1, 16)
	file := &full{space: 30000}
	d, err := Start(root, file, trace.Meta{BTL: "pvas", CPUs: 2})
	require.NoError(t, err)
	r := New(root, 0)
	for i := range 10000 {
		r.Call(trace.Barrier, r.Now(), &What{Number: uint32(i), Peer: -1})
	}
	r.Publish()
	err = d.Close()
	require.ErrorIs(t, err, errFull)
	tr, err := trace.Read(&file.Buffer)
	require.NoError(t, err)
	require.Error(t, tr.Cut)
}

// TestDamagedHead: a rank that has written to the words of its lane by mistake costs its own
// events.
func TestDamagedHead(t *testing.T) {
	root := newRoot(t, 2, 4)
	var file bytes.Buffer
	d, err := Start(root, &file, trace.Meta{BTL: "pvas", CPUs: 2})
	require.NoError(t, err)
	r := New(root, 1)
	r.Call(trace.Barrier, r.Now(), &What{Peer: -1})
	r.Publish()
	atomic.StoreUint64(&headOf(root.TraceBuffer(0)).lanes[Main].head, 1<<63)
	require.NoError(t, d.Close())
	tr, err := trace.Read(&file)
	require.NoError(t, err)
	assert.NotEmpty(t, tr.Ranks[1].Events)
}

func TestNotTraced(t *testing.T) {
	root := newRoot(t, 1, 0)
	assert.Nil(t, New(root, 0))
	assert.Nil(t, NewNodes(root, 0))
}

func TestSize(t *testing.T) {
	for _, ranks := range []int{1, 2, 64, 1000, 1 << 16} {
		size := Size(ranks)
		n := split(size)
		assert.Equal(t, size, headerSize+(n[0]+n[1])*trace.RecordSize, "%d ranks", ranks)
	}
	assert.LessOrEqual(t, 64*Size(64), 1<<30)
}

// TestDrainSleeps: while ranks record nothing the supervisor takes next to no CPU time.
func TestDrainSleeps(t *testing.T) {
	root := newRoot(t, 2, 4)
	var file bytes.Buffer
	d, err := Start(root, &file, trace.Meta{BTL: "pvas", CPUs: 2})
	require.NoError(t, err)
	before := sys.ProcessTime()
	time.Sleep(20 * period)
	assert.Less(t, time.Duration(sys.ProcessTime()-before), 5*period)
	require.NoError(t, d.Close())
}
