package costs

import (
	"time"

	"github.com/gopvas/gopvas/loggps/fit"
	"github.com/gopvas/gopvas/mpi"
)

// The rank program of RoundTrips. Rank 0 measures. Rank 1 serves: it is told what comes
// next by an order, so that only rank 0 has to know how often.
const (
	orderTag = 3

	orderStop     = iota // the end
	orderTrips           // rounds of Recv and Send
	orderSends           // rounds of Recv, then an empty message back
	orderLate            // rounds of Recv of an empty message, then Recv
	orderExchange        // rounds of rankside.SendReceive
	orderDistance        // Place.Here
)

// An order is what rank 1 is to do: which, bytes, and rounds.
type order [3]int

// tripRank is a rank of the measurement.
type tripRank struct {
	world    *mpi.Comm
	place    *Place
	out, in  []byte
	at, walk int     // where the next message lies, and how far the buffers reach
	perLoop  float64 // ns of an iteration of spin: the median of perLoops
	perLoops []float64
	least    int // iterations that take longer than an empty round trip; 0: not known
	samples  []fit.Sample
	others   []fit.Sample  // at another distance
	patience time.Duration // in which a send would be complete that waits for nobody
	share    time.Duration // of a sample: parts that it has no time for are left out
}

func (r *tripRank) order(o order) error { return mpi.Send(r.world, o[:], 1, orderTag) }

// page is the distance at which messages of cold caches lie at least, so that none finds
// what was fetched for the one before.
const page = 4096

// next returns the next pieces of the buffers, of n bytes each.
func (r *tripRank) next(n int) (out, in []byte) {
	if r.at+n > r.walk {
		r.at = 0
	}
	from := r.at
	if r.walk >= coldBytes {
		r.at += (n + page) &^ (page - 1)
	}
	return r.out[from : from+n], r.in[from : from+n]
}

// parts is how often the rounds of a sample are made. The time counts that a quarter of the parts do
// not exceed: in others, another process may have taken a CPU away.
const parts = 32

// timed orders rounds of rank 1, makes them, and returns the time of one in nanoseconds.
func (r *tripRank) timed(o order, round func(n int) error, end func() error) (ns float64, err error) {
	begin := time.Now()
	var times []float64
	for part := range parts {
		start := time.Now()
		if part > 0 && start.Sub(begin) > r.share {
			break
		}
		if err := r.order(o); err != nil {
			return 0, err
		}
		start = time.Now()
		for range o[2] {
			if err := round(o[1]); err != nil {
				return 0, err
			}
		}
		if err := end(); err != nil {
			return 0, err
		}
		times = append(times, float64(time.Since(start).Nanoseconds())/float64(o[2]))
	}
	return undisturbed(times), nil
}

// coldBytes is how far the messages of cold caches lie spread, in each of the four buffers:
// more together than the caches of a processor hold.
const coldBytes = 64 << 20
