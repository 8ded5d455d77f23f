package job

import "sync/atomic"

// Operation is a message that a rank has begun, or asks for.
type Operation struct {
	Op    Op
	Peer  int32  // rank, or AnyPeer
	Tag   int32  // as the caller gave it
	Bytes uint64 // length of the buffer, modulo 2^56
	Name  string // of OpCollective, with its communicator
}

// Polls is what a rank that polls says of the operation that it has asked for last. It is no wait: the rank may do
// something else at any time, so a proof of a deadlock takes no notice of it.
type Polls struct {
	Operation             // OpNone: the rank has said nothing. The first 64 bytes of its name are stored
	Others    []Operation // that are open beside it, at most 4 of them, without names
	Open      int         // how many are open beside it
	Call      string      // as Waiting.Call; else the engine's name
	Place     uint64      // as Waiting.Place
	Source    string      // as Waiting.Source
}

// Operation is that of a wait for one message.
func (w *Waiting) Operation() Operation {
	return Operation{Op: w.Op, Peer: w.Peer, Tag: w.Tag, Bytes: w.Bytes}
}

// Place is where the rank's call stands that waits or polls: see Waiting.Place.
func (v *View) Place() uint64 { return max(v.Waiting.Place, v.Polls.Place) } // one is 0

// namedOperations is how many operations a record can name.
const namedOperations = 5

// pollsBlock is the record in shared memory. Only the rank writes it, once for each report. The number of the
// report stands there last, and is 0 while the rest is written. A reader finds the same number before and after.
// A number comes once, so what it read between is of one record.
type pollsBlock struct {
	report atomic.Uint64
	asked  [namedOperations]struct {
		peers atomic.Uint64 // peer, tag
		bytes atomic.Uint64 // op in the highest 8 bits
	}
	name   [8]atomic.Uint64
	open   atomic.Uint64
	place  atomic.Uint64
	call   [4]atomic.Uint64
	source [sourceWords]atomic.Uint64
}

// AskReport begins a report: ranks that poll say for what, and these ranks, which wait, say again for what, and where
// their call is. A rank that waits has answered when Waiting.Seen is not before the time of this call. Only the
// supervisor calls it.
func (r *Root) AskReport(waiting []int) {
	r.head.report.Add(1)
	for _, rank := range waiting {
		r.block(rank).inbox.Signal()
	}
}

// ReportCounter returns the number of the last report, for ranks that look often.
func (r *Root) ReportCounter() *atomic.Uint32 { return &r.head.report }

// SetPolls answers for a rank. The rank itself calls it, one goroutine at a time, once for each report. NameCalls holds
// for p.Call and p.Place.
func (r *Root) SetPolls(rank int, report uint32, p Polls) {
	k := &r.block(rank).polls
	if r.calls != nil {
		if call, place := r.calls(); call != "" {
			p.Call, p.Place = call, place
		}
	}
	k.report.Store(0)
	for i := range k.asked {
		var o Operation
		if i == 0 {
			o = p.Operation
		} else if i <= len(p.Others) {
			o = p.Others[i-1]
		}
		k.asked[i].peers.Store(uint64(uint32(o.Peer))<<32 | uint64(uint32(o.Tag)))
		k.asked[i].bytes.Store(uint64(o.Op)<<56 | o.Bytes<<8>>8)
	}
	storeText(k.name[:], p.Operation.Name)
	k.open.Store(uint64(p.Open))
	k.place.Store(p.Place)
	storeText(k.call[:], p.Call)
	storeText(k.source[:], p.Source)
	k.report.Store(uint64(report))
}

// Polls returns the answer of a rank to the last report, OpNone if there is none.
func (r *Root) Polls(rank int) Polls {
	k := &r.block(rank).polls
	report := uint64(r.head.report.Load())
	if report == 0 || k.report.Load() != report {
		return Polls{}
	}
	p := Polls{Open: int(k.open.Load()), Place: k.place.Load(), Call: loadText(k.call[:]),
		Source: loadText(k.source[:])}
	for i := range k.asked {
		peers, bytes := k.asked[i].peers.Load(), k.asked[i].bytes.Load()
		o := Operation{Op: Op(bytes >> 56), Peer: int32(peers >> 32), Tag: int32(peers), Bytes: bytes << 8 >> 8}
		switch {
		case i == 0:
			p.Operation = o
			p.Name = loadText(k.name[:])
		case o.Op != OpNone:
			p.Others = append(p.Others, o)
		}
	}
	if k.report.Load() != report {
		return Polls{}
	}
	return p
}

// Add counts an open operation, and names it if the record has room.
func (p *Polls) Add(o Operation) {
	if len(p.Others) < namedOperations-1 {
		p.Others = append(p.Others, o)
	}
	p.Open++
}
