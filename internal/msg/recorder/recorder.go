package recorder

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/trace"
)

// Recorder writes the main lane of a rank. Only the goroutine that holds the lock of the rank's
// engine uses it.
type Recorder struct {
	Lane
	sent, received []uint32 // messages so far, by peer
	requests       uint32   // numbers given to requests

	context  uint32            // the last one
	number   uint64            // of it
	contexts map[uint32]uint16 // all of them

	sites   sites
	codes   codes
	threads threads

	sends, takes typical
	looked       uint64 // when the message that comes next was last looked for

	last uint64 // end of the last call
	long uint64 // a computation of so many ticks has its CPU time recorded
}

// New returns the recorder of a rank of the job; nil if the job is not traced.
func New(root *job.Root, rank int) *Recorder {
	lane := open(root.TraceBuffer(rank), root.TraceBuffer(0), Main)
	if lane == nil {
		return nil
	}
	records := bytesOf(lane.records)
	sys.Populate(sys.AddrOf(records), len(records)) // a fault takes as long as many events
	active.Store(true)
	return &Recorder{
		Lane: *lane, sent: make([]uint32, root.Ranks()), received: make([]uint32, root.Ranks()),
		contexts: map[uint32]uint16{}, sites: sites{all: map[uintptr]uint16{}, names: map[string]uint16{}},
		codes: codes{all: map[uintptr]uint16{}}, long: headOf(root.TraceBuffer(rank)).long,
	}
}

// active tells whether New has made a recorder in this process.
var active atomic.Bool

// Active tells whether this process records what it does. It is asked after the process has become
// a rank.
func Active() bool { return active.Load() }

// NewNodes returns the other lane of a rank.
func NewNodes(root *job.Root, rank int) *Lane {
	return open(root.TraceBuffer(rank), root.TraceBuffer(0), Nodes)
}

// Begin is called when a call begins. It returns the time.
func (r *Recorder) Begin() uint64 {
	now := r.Now()
	if now > r.last+r.long { // an estimated end may be later than now
		r.sample(now)
	}
	return now
}

// sample records the CPU time of the process.
func (r *Recorder) sample(now uint64) {
	cpu := uint64(sys.ProcessTime())
	r.Put(trace.Wide(0, cpu), trace.Raw{Kind: trace.CPU, Ticks: now, Bytes: uint32(cpu), Flags: trace.NoPeer})
	r.last = now
}

// Sent counts a message to a peer and returns its number.
func (r *Recorder) Sent(peer int) uint32 {
	r.sent[peer]++
	return r.sent[peer]
}

// Received counts a message from a peer and returns its number.
func (r *Recorder) Received(peer int) uint32 {
	r.received[peer]++
	return r.received[peer]
}

// Request returns the number of a new request.
func (r *Recorder) Request() uint32 {
	r.requests++
	return r.requests
}

// What is what an event says beside its kind and time.
type What struct {
	Bytes   uint64
	Site    uint64 // that of BeginWait; 0: not looked for yet
	Number  uint32 // of the message, or else of the request
	Request uint32 // of Point only
	Context uint32
	Tag     int32
	Peer    int32 // negative: none
	Flags   trace.Flags
}

// Call records a call that began at start and ends now.
func (r *Recorder) Call(k trace.Kind, start uint64, w *What) {
	end := r.Now()
	if w.Site == 0 {
		w.Site = r.site(k)
	}
	r.call(k, start, end, w)
}

// call records a call whose place is known.
func (r *Recorder) call(k trace.Kind, start, end uint64, w *What) {
	r.last = end
	took := end - start
	r.write(k, start, uint32(took), took>>32, w)
	if took > r.long {
		r.sample(end)
	}
}

// Point records something that happens now.
func (r *Recorder) Point(k trace.Kind, w *What) { r.write(k, r.Now(), w.Request, 0, w) }

// write writes an event, after the high halves of its words if they are not 0.
func (r *Recorder) write(k trace.Kind, at uint64, took uint32, high uint64, w *What) {
	if w.Context != r.context || r.number == 0 {
		r.choose(w.Context)
	}
	if (high|w.Bytes>>32) != 0 && !r.wide(high<<32, w.Bytes) {
		return
	}
	peer, flags := uint64(uint16(w.Peer)), w.Flags|r.threads.current()
	if w.Peer < 0 {
		peer, flags = 0, flags|trace.NoPeer
	}
	r.put(at<<8|uint64(k), uint64(took)|w.Bytes<<32, r.number|w.Site<<16|uint64(uint32(w.Tag))<<32,
		peer|uint64(flags)<<16|uint64(w.Number)<<32)
}

// wide writes what belongs to the next event, if both fit.
func (r *Recorder) wide(took, bytes uint64) bool {
	if r.next+2 > r.limit && !r.reserve(2) {
		r.lose()
		return false
	}
	r.note(trace.Wide(took, bytes))
	return true
}

// choose makes a context the last one, and gives it a number if it has none.
func (r *Recorder) choose(context uint32) {
	number, ok := r.contexts[context]
	if !ok && len(r.contexts) < 1<<16-1 {
		number = uint16(len(r.contexts) + 1)
		r.contexts[context] = number
		r.Put(trace.NameContext(number, context, "")...)
	}
	r.context, r.number = context, uint64(number)
}
