package job

import "sync/atomic"

// Polls is what a rank that polls says of the operation that it has asked for last. It is no wait: the rank may do
// something else at any time, so a proof of a deadlock takes no notice of it.
type Polls struct {
	Op    Op     // OpNone: the rank has said nothing
	Peer  int32  // rank, or AnyPeer
	Tag   int32  // as the caller gave it
	Bytes uint64 // length of the buffer, modulo 2^56
}

// pollsBlock is the record in shared memory. Only the rank writes it, once for each report. The number of the
// report stands there last, and is 0 while the rest is written. A reader finds the same number before and after.
// A number comes once, so what it read between is of one record.
type pollsBlock struct {
	report atomic.Uint64
	peers  atomic.Uint64 // peer, tag
	bytes  atomic.Uint64 // op in the highest 8 bits
}

// AskPolls begins a report: ranks that poll say for what. Only the supervisor calls it.
func (r *Root) AskPolls() { r.head.report.Add(1) }

// PollsCounter returns the number of the last report, for ranks that look often.
func (r *Root) PollsCounter() *atomic.Uint32 { return &r.head.report }

// SetPolls answers for a rank. The rank itself calls it, one goroutine at a time, once for each report.
func (r *Root) SetPolls(rank int, report uint32, p Polls) {
	k := &r.block(rank).polls
	k.report.Store(0)
	k.peers.Store(uint64(uint32(p.Peer))<<32 | uint64(uint32(p.Tag)))
	k.bytes.Store(uint64(p.Op)<<56 | p.Bytes<<8>>8)
	k.report.Store(uint64(report))
}

// Polls returns the answer of a rank to the last report, OpNone if there is none.
func (r *Root) Polls(rank int) Polls {
	k := &r.block(rank).polls
	report := uint64(r.head.report.Load())
	if report == 0 || k.report.Load() != report {
		return Polls{}
	}
	peers, bytes := k.peers.Load(), k.bytes.Load()
	if k.report.Load() != report {
		return Polls{}
	}
	return Polls{Op: Op(bytes >> 56), Peer: int32(peers >> 32), Tag: int32(peers), Bytes: bytes << 8 >> 8}
}
