package timed

import (
	"errors"

	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// The loops of the point-to-point benchmarks, as IMB (pingpong, pingping) and
// the OSU benchmarks (bw, mbw_mr) have them. runner/peer/p2p.c has the same in C.

const window = 64 // messages under way at a time

// A pattern is one point-to-point benchmark.
type pattern struct {
	step    func(r *p2pRank) error
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
	rankside.TimedRank(args, patterns, func(world *mpi.Comm, p pattern, n int, limits rankside.Pace) error {
		r := &p2pRank{
			world: world, out: rankside.Touched(n), in: rankside.Touched(n),
			ack: make([]byte, 4), requests: make([]mpi.Request, 0, window),
		}
		if p.senders == allOthers && world.Rank() == 0 {
			r.in = rankside.Touched(n * (world.Size() - 1))
		}
		if args[0] == "copy" {
			if err := r.openPeer(); err != nil {
				return err
			}
		}
		parts := rankside.Blocks
		if p.apart {
			parts = limits.Repetitions
		}
		return rankside.TimedBlocks(world, n, p.units, parts, limits, func() error { return p.step(r) })
	})
}

func (r *p2pRank) pingPong() error {
	switch r.world.Rank() {
	case 0:
		if err := mpi.Send(r.world, r.out, 1, rankside.DataTag); err != nil {
			return err
		}
		_, err := mpi.Recv(r.world, r.in, 1, rankside.DataTag)
		return err
	case 1:
		if _, err := mpi.Recv(r.world, r.in, 0, rankside.DataTag); err != nil {
			return err
		}
		return mpi.Send(r.world, r.out, 0, rankside.DataTag)
	}
	return nil
}

func (r *p2pRank) pingPing() error {
	if r.world.Rank() > 1 {
		return nil
	}
	peer := 1 - r.world.Rank()
	request, err := mpi.Isend(r.world, r.out, peer, rankside.DataTag)
	if err != nil {
		return err
	}
	if _, err := mpi.Recv(r.world, r.in, peer, rankside.DataTag); err != nil {
		return err
	}
	_, err = request.Wait()
	return err
}

// window lets the lower half of the ranks send a window of messages to the upper
// half, which acknowledges all of them with one.
func (r *p2pRank) window() error {
	half := r.world.Size() / 2
	rank := r.world.Rank()
	if rank >= 2*half {
		return nil
	}
	r.requests = r.requests[:0]
	for range window {
		var request mpi.Request
		var err error
		if rank < half {
			request, err = mpi.Isend(r.world, r.out, rank+half, rankside.DataTag)
		} else {
			request, err = mpi.Irecv(r.world, r.in, rank-half, rankside.DataTag)
		}
		if err != nil {
			return err
		}
		r.requests = append(r.requests, request)
	}
	if err := mpi.WaitAll(r.requests, nil); err != nil {
		return err
	}
	if rank >= half {
		return mpi.Send(r.world, r.ack, rank-half, rankside.AckTag)
	}
	_, err := mpi.Recv(r.world, r.ack, rank+half, rankside.AckTag)
	return err
}

// openPeer finds the buffer that the other rank would send, or where that cannot be
// addressed, other memory of it.
func (r *p2pRank) openPeer() error {
	w, err := mpi.WinCreate(r.world, r.out)
	if errors.Is(err, mpi.ErrNotOneAddressSpace) {
		if w, err = mpi.WinAllocateShared[byte](r.world, len(r.out)); err == nil {
			copy(w.Local(), r.out)
		}
	}
	if err != nil {
		return err
	}
	r.theirs, err = w.Segment(r.world.Rank() ^ 1)
	return err
}

// copy is what a message of pingpong costs at least: one copy of the bytes, by one
// rank, from the memory of the same peer, in the same state of the caches.
func (r *p2pRank) copy() error {
	if r.world.Rank() == 0 {
		copy(r.in, r.theirs)
	}
	return nil
}

func (r *p2pRank) ring() error {
	n, rank := r.world.Size(), r.world.Rank()
	right, left := (rank+1)%n, (rank+n-1)%n
	if rank == 0 {
		if err := mpi.Send(r.world, r.out, right, rankside.DataTag); err != nil {
			return err
		}
		_, err := mpi.Recv(r.world, r.in, left, rankside.DataTag)
		return err
	}
	if _, err := mpi.Recv(r.world, r.in, left, rankside.DataTag); err != nil {
		return err
	}
	return mpi.Send(r.world, r.in, right, rankside.DataTag)
}

// incast lets all other ranks send to rank 0.
func (r *p2pRank) incast() error {
	if r.world.Rank() > 0 {
		return mpi.Send(r.world, r.out, 0, rankside.DataTag)
	}
	r.requests = r.requests[:0]
	n := len(r.out)
	for i := range r.world.Size() - 1 {
		request, err := mpi.Irecv(r.world, r.in[i*n:(i+1)*n], i+1, rankside.DataTag)
		if err != nil {
			return err
		}
		r.requests = append(r.requests, request)
	}
	return mpi.WaitAll(r.requests, nil)
}
