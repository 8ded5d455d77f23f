package timed

import (
	"errors"

	"github.com/gopvas/gopvas/internal/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// The loops of the point-to-point benchmarks, as IMB (pingpong, pingping) and
// the OSU benchmarks (bw, mbw_mr) have them. runner/peer/p2p.c has the same in C.

const window = 64 // messages under way at a time

// A pattern is one point-to-point benchmark.
type pattern struct {
	step    func(r *p2pRank)
	units   float64 // messages of a sender in the time that is reported, per step
	senders senders
	apart   bool // each step is timed alone, after a barrier
}

// senders are the ranks that send at a time: the rate is that of all.
type senders uint8

const (
	oneRank senders = iota
	ofPairs
	allOthers // than rank 0
)

var patterns = map[string]pattern{
	"pingpong": {step: (*p2pRank).pingPong, units: 2}, // half a round trip
	"pingping": {step: (*p2pRank).pingPing, units: 1},
	"bw":       {step: (*p2pRank).window, units: window, senders: ofPairs},
	"mbw_mr":   {step: (*p2pRank).window, units: window, senders: ofPairs},
	"ring":     {step: (*p2pRank).ring, units: 1}, // once around
	"incast":   {step: (*p2pRank).incast, units: 1, senders: allOthers, apart: true},
	"copy":     {step: (*p2pRank).copy, units: 1}, // the bound: no message, only its copy
}

// A p2pRank is a rank at one message size.
type p2pRank struct {
	world    *mpi.Comm
	out, in  []byte
	ack      []byte
	requests []mpi.Request
	theirs   []byte // copy: the peer's buffer
}

// p2pRankMain is the rank program; its arguments are those of runner/peer/p2p.c.
func p2pRankMain(args []string) {
	rankside.TimedRank(args, patterns, func(world *mpi.Comm, p pattern, n int, limits rankside.Pace) {
		r := &p2pRank{
			world: world, out: rankside.Touched(n), in: rankside.Touched(n),
			ack: make([]byte, 4), requests: make([]mpi.Request, 0, window),
		}
		if p.senders == allOthers && world.Rank() == 0 {
			r.in = rankside.Touched(n * (world.Size() - 1))
		}
		if args[0] == "copy" {
			r.openPeer()
		}
		parts := rankside.Blocks
		if p.apart {
			parts = limits.Repetitions
		}
		rankside.TimedBlocks(world, n, p.units, parts, limits, func() { p.step(r) })
	})
}

func (r *p2pRank) pingPong() {
	switch r.world.Rank() {
	case 0:
		rankside.Check(mpi.Send(r.world, r.out, 1, rankside.DataTag))
		rankside.Value(mpi.Recv(r.world, r.in, 1, rankside.DataTag))
	case 1:
		rankside.Value(mpi.Recv(r.world, r.in, 0, rankside.DataTag))
		rankside.Check(mpi.Send(r.world, r.out, 0, rankside.DataTag))
		return
	}
}

func (r *p2pRank) pingPing() {
	if r.world.Rank() > 1 {
		return
	}
	peer := 1 - r.world.Rank()
	request := rankside.Value(mpi.Isend(r.world, r.out, peer, rankside.DataTag))
	rankside.Value(mpi.Recv(r.world, r.in, peer, rankside.DataTag))
	rankside.Value(request.Wait())
}

// window lets the lower half of the ranks send a window of messages to the upper
// half, which acknowledges all of them with one.
func (r *p2pRank) window() {
	half := r.world.Size() / 2
	rank := r.world.Rank()
	if rank >= 2*half {
		return
	}
	r.requests = r.requests[:0]
	for range window {
		if rank < half {
			r.requests = append(r.requests, rankside.Value(mpi.Isend(r.world, r.out, rank+half, rankside.DataTag)))
		} else {
			r.requests = append(r.requests, rankside.Value(mpi.Irecv(r.world, r.in, rank-half, rankside.DataTag)))
		}
	}
	rankside.Check(mpi.WaitAll(r.requests, nil))
	if rank >= half {
		rankside.Check(mpi.Send(r.world, r.ack, rank-half, rankside.AckTag))
		return
	}
	rankside.Value(mpi.Recv(r.world, r.ack, rank+half, rankside.AckTag))
}

// openPeer finds the buffer that the other rank would send, or where that cannot be
// addressed, other memory of it.
func (r *p2pRank) openPeer() {
	w, err := mpi.WinCreate(r.world, r.out)
	if errors.Is(err, mpi.ErrNotOneAddressSpace) {
		if w, err = mpi.WinAllocateShared[byte](r.world, len(r.out)); err == nil {
			copy(w.Local(), r.out)
		}
	}
	rankside.Check(err)
	r.theirs = rankside.Value(w.Segment(r.world.Rank() ^ 1))
}

// copy is what a message of pingpong costs at least: one copy of the bytes, by one
// rank, from the memory of the same peer, in the same state of the caches.
func (r *p2pRank) copy() {
	if r.world.Rank() == 0 {
		copy(r.in, r.theirs)
	}
}

func (r *p2pRank) ring() {
	n, rank := r.world.Size(), r.world.Rank()
	right, left := (rank+1)%n, (rank+n-1)%n
	if rank == 0 {
		rankside.Check(mpi.Send(r.world, r.out, right, rankside.DataTag))
		rankside.Value(mpi.Recv(r.world, r.in, left, rankside.DataTag))
	}
	rankside.Value(mpi.Recv(r.world, r.in, left, rankside.DataTag))
	rankside.Check(mpi.Send(r.world, r.in, right, rankside.DataTag))
}

// incast lets all other ranks send to rank 0.
func (r *p2pRank) incast() {
	if r.world.Rank() > 0 {
		rankside.Check(mpi.Send(r.world, r.out, 0, rankside.DataTag))
		return
	}
	r.requests = r.requests[:0]
	n := len(r.out)
	for i := range r.world.Size() - 1 {
		request := rankside.Value(mpi.Irecv(r.world, r.in[i*n:(i+1)*n], i+1, rankside.DataTag))
		r.requests = append(r.requests, request)
	}
	rankside.Check(mpi.WaitAll(r.requests, nil))
}
