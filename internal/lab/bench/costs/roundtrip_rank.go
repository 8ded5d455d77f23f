package costs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/loggps/fit"
	"github.com/gopvas/gopvas/mpi"
)

// roundTripRank is the rank program; its arguments are sizes, how often each is measured,
// cold or warm, a seed, the most seconds, and a distance.
func roundTripRank(args []string) {
	if len(args) != 6 {
		fmt.Fprintln(os.Stderr,
			"bench: six arguments are needed: sizes, repetitions, warm or cold, a seed, seconds and a distance")
		os.Exit(2)
	}
	mpi.Run(func(world *mpi.Comm) error {
		c, err := parseTrips(args)
		if err != nil || world.Size() != 2 {
			return errors.Join(err, fmt.Errorf("bench: round trips of %d ranks: two are needed", world.Size()))
		}
		place, err := NewPlace(world, c.distance)
		if err != nil {
			return err
		}
		if here, err := place.begin(); err != nil || !here {
			return err
		}
		r := &tripRank{world: world, place: place, out: rankside.Touched(c.walk),
			in: rankside.Touched(c.walk), walk: c.walk}
		if world.Rank() == 1 {
			return r.serve()
		}
		if err := r.measure(c); err != nil {
			return err
		}
		limit, err := r.eagerLimit(slices.Max(c.sizes))
		if err != nil {
			return err
		}
		if err := r.order(order{orderStop}); err != nil {
			return err
		}
		fmt.Printf("%s %d\n", limitLine, limit)
		return fit.WriteCSV(os.Stdout, r.samples)
	})
}

type tripPlan struct {
	sizes []int
	times int
	walk  int
	seed  uint64
	limit time.Duration

	distance float64 // at which samples count, ns; 0: at any
}

func parseTrips(args []string) (c tripPlan, err error) {
	for item := range strings.SplitSeq(args[0], ",") {
		n, err := strconv.Atoi(item)
		if err != nil || n < 0 {
			return c, fmt.Errorf("bench: parse size %q: want a number of bytes", item)
		}
		c.sizes = append(c.sizes, n)
		c.walk = max(c.walk, n)
	}
	if c.times, err = strconv.Atoi(args[1]); err != nil {
		return c, fmt.Errorf("bench: parse repetitions: %w", err)
	}
	if args[2] == "cold" {
		c.walk = max(2*c.walk, coldBytes)
	}
	if c.seed, err = strconv.ParseUint(args[3], 10, 64); err != nil {
		return c, fmt.Errorf("bench: parse seed: %w", err)
	}
	seconds, err := strconv.ParseFloat(args[4], 64)
	if err != nil {
		return c, fmt.Errorf("bench: parse seconds: %w", err)
	}
	c.limit = time.Duration(seconds * float64(time.Second))
	if c.distance, err = strconv.ParseFloat(args[5], 64); err != nil {
		return c, fmt.Errorf("bench: parse distance: %w", err)
	}
	return c, nil
}

// serve does what rank 0 orders.
func (r *tripRank) serve() error {
	for {
		var o order
		if _, err := mpi.Recv(r.world, o[:], 0, orderTag); err != nil || o[0] == orderStop {
			return err
		}
		for range o[2] {
			if err := r.serveRound(o); err != nil {
				return err
			}
		}
		if o[0] == orderSends {
			if err := mpi.Send(r.world, r.out[:0], 0, rankside.AckTag); err != nil {
				return err
			}
		}
	}
}

func (r *tripRank) serveRound(o order) error {
	out, in := r.next(o[1])
	if o[0] == orderLate {
		if _, err := mpi.Recv(r.world, in[:0], 0, rankside.AckTag); err != nil {
			return err
		}
	}
	switch o[0] {
	case orderExchange:
		return rankside.SendReceive(r.world, out, in)
	case orderDistance:
		r.place.Here()
		return nil
	}
	if _, err := mpi.Recv(r.world, in, 0, rankside.DataTag); err != nil || o[0] != orderTrips {
		return err
	}
	return mpi.Send(r.world, out, 0, rankside.DataTag)
}

// measure takes the samples: all sizes in a random order, again and again until there are
// enough or the time is over.
func (r *tripRank) measure(c tripPlan) error {
	start := time.Now()
	r.share = c.limit / time.Duration(timings*len(c.sizes))
	for range 5 {
		if err := r.calibrate(); err != nil {
			return err
		}
	}
	bare, err := r.warmUp(c.sizes)
	if err != nil {
		return err
	}
	r.patience = 4 * time.Duration(slices.Max(bare))
	order := rand.New(rand.NewPCG(c.seed, 12)).Perm(len(c.sizes))
	for i := range c.times {
		if i >= leastSamples && time.Since(start) > c.limit {
			break
		}
		for _, k := range order {
			if err := r.sample(c.sizes[k], bare[k]); err != nil {
				return err
			}
		}
		if err := r.calibrate(); err != nil {
			return err
		}
		fmt.Println(sweepLine)
	}
	r.samples = r.enough()
	for i := range r.samples {
		r.samples[i].Loop *= r.perLoop
	}
	return nil
}

// timings is how often each size is timed at least: to warm up, twice or so, and in each of the four
// ways for leastSamples samples. So all of that takes no longer than the limit, but for the first part
// of each. On a machine on which others take CPUs away, a part can take a hundred times as long as it
// should.
const timings = 2 + 4*leastSamples

// leastSamples is how often each size is measured at least.
const leastSamples = 3

// warmUp returns, by size, the time of a round trip without a loop.
func (r *tripRank) warmUp(sizes []int) ([]float64, error) {
	bare := make([]float64, len(sizes))
	rounds := 1
	for i, n := range sizes {
		for {
			t, err := r.trips(n, rounds, 0)
			if err != nil {
				return nil, err
			}
			if bare[i] = t; t*float64(rounds) >= partTime {
				break
			}
			rounds *= 2
		}
		rounds = max(1, rounds/2) // the next size takes longer, but hardly twice as long
	}
	return bare, nil
}

// sample measures a size once in each way; Loop is in iterations. The loop is longer than the
// round trip by a little: by no more than a waiting rank polls before it sleeps.
func (r *tripRank) sample(n int, bare float64) error {
	rounds := max(leastRounds, int(partTime/bare))
	long := int((bare + min(bare/4, 5e3)) / r.perLoop)
	short := int((bare*0.6 + 200) / r.perLoop)
	before, err := r.here()
	if err != nil {
		return err
	}
	for _, s := range []struct {
		kind  fit.Kind
		loop  int
		timed func(n, rounds, loop int) (float64, error)
	}{{fit.RoundTrip, 0, r.trips}, {fit.RoundTrip, long, r.trips}, {fit.Send, short, r.sends},
		{fit.Exchange, 0, r.exchanges}} {
		t, err := s.timed(n, rounds, s.loop)
		if err != nil {
			return err
		}
		here, err := r.here()
		if err != nil {
			return err
		}
		r.take(before && here, fit.Sample{Kind: s.kind, Bytes: int64(n), Loop: float64(s.loop), Time: t})
		before = here
	}
	return nil
}

// eagerLimit finds, by bisection, the longest message up to most whose sender does not wait
// for a receiver that comes late: S as it is. It is -1 if no message makes the sender wait.
func (r *tripRank) eagerLimit(most int) (int, error) {
	if eager, err := r.eager(most); eager || err != nil {
		return -1, err
	}
	low, high := 0, most // an empty message has nothing to wait with
	for high-low > 1 {
		mid := (low + high) / 2
		eager, err := r.eager(mid)
		if err != nil {
			return 0, err
		}
		if eager {
			low = mid
		} else {
			high = mid
		}
	}
	return low, nil
}

// eager tells whether a send is complete before its receive begins. The receiver waits until
// it is told to receive.
func (r *tripRank) eager(n int) (bool, error) {
	if err := r.order(order{orderLate, n, 1}); err != nil {
		return false, err
	}
	out, _ := r.next(n)
	request, err := mpi.Isend(r.world, out, 1, rankside.DataTag)
	if err != nil {
		return false, err
	}
	const looks = 1000
	done := false
	for start, i := time.Now(), 0; !done && (i < looks || time.Since(start) < r.patience); i++ {
		if _, done, err = request.Test(); err != nil {
			return false, err
		}
	}
	if err := mpi.Send(r.world, r.out[:0], 1, rankside.AckTag); err != nil || done {
		return done, err
	}
	_, err = request.Wait()
	return false, err
}
