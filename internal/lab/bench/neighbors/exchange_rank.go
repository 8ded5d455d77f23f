package neighbors

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/internal/lab/median"
	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/debug"
)

// exchangeRankMain is the rank program of the exchange benchmark. Its arguments are the neighbors of a rank, BYTES,...,
// and seconds for each length; then whether to make a picture, and to receive into a buffer and copy. The neighbors may
// be halo: the 26 of a cube, whose messages have three lengths.
func exchangeRankMain(args []string) {
	var neighbors, sizes string
	var seconds float64
	var picture, copied bool
	rankside.ScanArgs("neighbors or halo, BYTES,..., seconds, and twice true or false", args, &neighbors, &sizes,
		&seconds, &picture, &copied)
	mpi.Run(func(world *mpi.Comm) error {
		for item := range strings.SplitSeq(sizes, ",") {
			n, err := strconv.Atoi(item)
			if err != nil {
				return fmt.Errorf("bench: bytes: %w", err)
			}
			r, err := newExchangeRank(world, neighbors, n)
			if err != nil {
				return err
			}
			if copied {
				r.buffer = make([]byte, len(r.in))
			}
			if err := r.measure(n, time.Duration(seconds*float64(time.Second)), picture); err != nil {
				return err
			}
		}
		return nil
	})
}

// exchangeRank is a rank at one length.
type exchangeRank struct {
	world    *mpi.Comm
	graph    *mpi.Comm
	counts   []int // bytes, by neighbor
	out, in  []byte
	buffer   []byte // what is received comes here, and is copied to in; nil: it comes to in
	expected []byte
}

// mostNeighbors bounds the neighbors of a rank.
const mostNeighbors = 1 << 12

// exchangeCounts returns the lengths of the messages. The halo of a cube with sides of k has 6
// faces of k by k bytes, 12 edges of k, and 8 corners of 1. n is the length of a face.
func exchangeCounts(neighbors string, n int) ([]int, error) {
	if neighbors == Halo {
		edge := 1
		for edge*edge < n {
			edge++
		}
		return slices.Concat(slices.Repeat([]int{n}, 6), slices.Repeat([]int{edge}, 12),
			slices.Repeat([]int{1}, 8)), nil
	}
	number, err := strconv.Atoi(neighbors)
	if err != nil || number < 1 || number > mostNeighbors {
		return nil, fmt.Errorf("bench: %q is no number of neighbors from 1 to %d, and not halo",
			neighbors, mostNeighbors)
	}
	return slices.Repeat([]int{n}, number), nil
}

// newExchangeRank makes the graph: neighbor i is i+1 ranks further on, around all others.
func newExchangeRank(world *mpi.Comm, neighbors string, n int) (*exchangeRank, error) {
	counts, err := exchangeCounts(neighbors, n)
	if err != nil {
		return nil, err
	}
	if world.Size() < 2 {
		return nil, fmt.Errorf("bench: an exchange needs at least two ranks")
	}
	var near mpi.Neighbors
	r := &exchangeRank{world: world, counts: counts}
	for i, count := range counts {
		step := 1 + i%(world.Size()-1)
		to, from := (world.Rank()+step)%world.Size(), (world.Rank()-step+world.Size())%world.Size()
		near.Destinations = append(near.Destinations, to)
		near.Sources = append(near.Sources, from)
		r.out = append(r.out, bytes.Repeat([]byte{mark(world.Rank(), i)}, count)...)
		r.expected = append(r.expected, bytes.Repeat([]byte{mark(from, i)}, count)...)
	}
	r.in = make([]byte, len(r.out))
	g, err := mpi.DistGraphCreateAdjacent(world, near)
	if err != nil {
		return nil, err
	}
	r.graph = g.Comm
	return r, nil
}

func mark(rank, message int) byte { return byte(1 + rank*31 + message*7) }

func (r *exchangeRank) step() error {
	if r.buffer == nil {
		return mpi.NeighborAlltoallv(r.graph, r.out, r.counts, nil, r.in, r.counts, nil)
	}
	err := mpi.NeighborAlltoallv(r.graph, r.out, r.counts, nil, r.buffer, r.counts, nil)
	copy(r.in, r.buffer)
	return err
}

// measure makes exchanges for some time, each after a barrier. Rank 0 prints BYTES,
// repetitions, and the median, least and most of the times of the slowest rank, in
// microseconds.
func (r *exchangeRank) measure(n int, limit time.Duration, picture bool) error {
	const warm = 4
	var times []float64
	begin := time.Now()
	more := []byte{1}
	for i := 0; more[0] == 1; i++ {
		if err := r.world.Barrier(); err != nil {
			return err
		}
		start := time.Now()
		if err := r.step(); err != nil {
			return err
		}
		took := []float64{float64(time.Since(start).Nanoseconds()) / 1e3}
		slowest := []float64{0}
		if err := mpi.Allreduce(r.world, took, slowest, mpi.Max[float64]()); err != nil {
			return err
		}
		if i == 0 && !bytes.Equal(r.in, r.expected) {
			return fmt.Errorf("bench: rank %d has received other bytes than were sent", r.world.Rank())
		}
		if i >= warm {
			times = append(times, slowest[0])
		}
		if time.Since(begin) > limit && len(times) >= 3 {
			more[0] = 0
		}
		if err := mpi.Bcast(r.world, more, 0); err != nil {
			return err
		}
		if more[0] == 0 {
			if r.world.Rank() == 0 {
				fmt.Printf("%d %d %.4f %.4f %.4f\n", n, len(times), median.Of(times),
					slices.Min(times), slices.Max(times))
				printDevices()
			}
			if picture {
				if err := r.printFlights(start); err != nil {
					return err
				}
			}
		}
	}
	return r.graph.Free()
}

// What the lines of devices and flights begin with.
const (
	deviceLine = "device "
	flightLine = "flight "
)

// printDevices prints of each device what a piece costs, in nanoseconds, and its bytes per second.
func printDevices() {
	for _, d := range debug.Devices() {
		fmt.Printf(deviceLine+"%d %d\n", d.Latency, d.Bandwidth)
	}
}

// printFlights has rank 0 print what the devices of all ranks have sent since a moment, in
// nanoseconds from it.
func (r *exchangeRank) printFlights(since time.Time) error {
	var text []byte
	for _, f := range debug.Flights() {
		if f.Start.After(since) {
			text = fmt.Appendf(text, flightLine+"%d %d %d %d %d %d %d\n", r.world.Rank(), f.Device,
				f.Peer, f.Message, f.Bytes,
				f.Start.Sub(since).Nanoseconds(), f.End.Sub(since).Nanoseconds())
		}
	}
	counts, total := make([]int, r.world.Size()), 0
	if err := mpi.Gather(r.world, []int{len(text)}, counts, 0); err != nil {
		return err
	}
	for _, n := range counts {
		total += n
	}
	all := make([]byte, total)
	if err := mpi.Gatherv(r.world, text, all, counts, nil, 0); err != nil {
		return err
	}
	_, err := os.Stdout.Write(all)
	return err
}

// Halo stands for the 26 neighbors of a cube, whose messages have three lengths.
const Halo = "halo"
