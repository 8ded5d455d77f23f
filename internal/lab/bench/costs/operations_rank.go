package costs

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// The rank program of Operations. All ranks do what rank 0 finds out: it reads the clock, and tells
// the others after each row.

// operationSweeps is how often all is measured, if there is time. Each sweep measures operationParts parts of each
// length: what disturbs a CPU for milliseconds then disturbs a few of them.
const (
	operationSweeps = 12
	operationParts  = 8
)

type operationRank struct {
	world     *mpi.Comm
	place     *Place
	out, in   []byte
	outF, inF []float64
	sum       *mpi.Op[float64]
	end       time.Time // when to stop, but for the first operation
	any       bool      // an operation has been measured
	over      bool      // it is time
	times     []float64 // of a call in each part, ns
}

// measuredOperations are the operations, as choices of algorithms name them. Vectors are of 8 bytes an
// element. unit is what lengths are multiples of, for each rank: bytes, or elements.
var measuredOperations = []struct {
	name string
	unit func(ranks int) int
	call func(r *operationRank, n int) error
}{
	{"barrier", nil, func(r *operationRank, _ int) error { return r.world.Barrier() }},
	{"bcast", oneByte, func(r *operationRank, n int) error { return mpi.Bcast(r.world, r.out[:n], 0) }},
	{"reduce", oneElement, func(r *operationRank, n int) error {
		return mpi.Reduce(r.world, r.outF[:n/8], r.inF[:n/8], r.sum, 0)
	}},
	{"allreduce", oneElement, func(r *operationRank, n int) error {
		return mpi.Allreduce(r.world, r.outF[:n/8], r.inF[:n/8], r.sum)
	}},
	{"reduce_scatter", func(ranks int) int { return 8 * ranks }, func(r *operationRank, n int) error {
		return mpi.ReduceScatterBlock(r.world, r.outF[:n/8], r.inF[:n/8/r.world.Size()], r.sum)
	}},
	{"scan", oneElement, func(r *operationRank, n int) error {
		return mpi.Scan(r.world, r.outF[:n/8], r.inF[:n/8], r.sum)
	}},
	{"exscan", oneElement, func(r *operationRank, n int) error {
		return mpi.Exscan(r.world, r.outF[:n/8], r.inF[:n/8], r.sum)
	}},
	{"gather", oneByte, func(r *operationRank, n int) error {
		return mpi.Gather(r.world, r.out[:n], r.in[:n*r.world.Size()], 0)
	}},
	{"scatter", oneByte, func(r *operationRank, n int) error {
		return mpi.Scatter(r.world, r.out[:n*r.world.Size()], r.in[:n], 0)
	}},
	{"allgather", oneByte, func(r *operationRank, n int) error {
		return mpi.Allgather(r.world, r.out[:n], r.in[:n*r.world.Size()])
	}},
	{"alltoall", oneByte, func(r *operationRank, n int) error {
		return mpi.Alltoall(r.world, r.out[:n*r.world.Size()], r.in[:n*r.world.Size()])
	}},
}

func oneByte(int) int    { return 1 }
func oneElement(int) int { return 8 }

// operationsRank is the rank program; its arguments are a list of operation=algorithm, the longest
// length, the most seconds, and a distance.
func operationsRank(args []string) {
	var choices string
	var largest int
	var limit, distance float64
	rankside.ScanArgs("operations, bytes, seconds and a distance", args, &choices, &largest, &limit, &distance)
	mpi.Run(func(world *mpi.Comm) error {
		place, err := NewPlace(world, distance)
		if err != nil {
			return err
		}
		if here, err := place.begin(); err != nil || !here {
			return err
		}
		all := largest * world.Size()
		r := &operationRank{
			world: world, place: place, out: rankside.Touched(all), in: rankside.Touched(all), sum: mpi.Sum[float64](),
			outF: slices.Repeat([]float64{1}, largest/8+1), inF: slices.Repeat([]float64{1}, largest/8+1),
			end: time.Now().Add(time.Duration(limit * float64(time.Second))),
		}
		if err := r.warmUp(); err != nil {
			return err
		}
		wanted := strings.Split(choices, ",")
		for sweep := 0; sweep < operationSweeps && !r.over; sweep++ {
			if err := r.sweep(wanted, largest); err != nil {
				return err
			}
		}
		return nil
	})
}

// firstTime is how long the runtime disturbs a process that has begun.
const firstTime = 20 * time.Millisecond

// warmUp makes calls until the ranks run as they will from then on.
func (r *operationRank) warmUp() error {
	begin := time.Now()
	for going := []int{1}; going[0] != 0; {
		for range 100 {
			if err := mpi.Allreduce(r.world, r.outF[:2], r.inF[:2], r.sum); err != nil {
				return err
			}
		}
		if time.Since(begin) > firstTime {
			going[0] = 0
		}
		if err := mpi.Bcast(r.world, going, 0); err != nil {
			return err
		}
	}
	return nil
}

// sweep measures what is wanted once. If there is no time for all, each operation has some lengths.
func (r *operationRank) sweep(wanted []string, largest int) error {
	for _, n := range lengthsInTurn(largest) {
		for _, o := range measuredOperations {
			size := 0
			if o.unit != nil {
				unit := o.unit(r.world.Size())
				size = n / unit * unit
			}
			if r.over || (size == 0) != (o.unit == nil) || o.unit == nil && n != leastOperation {
				continue
			}
			if err := r.measure(wanted, o.name, size, func() error { return o.call(r, size) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// lengthsInTurn are powers of two, in an order in which the first few reach over all, and then the means of
// neighbors: ways change at powers of two, so a line between two of them would miss by some 10 %.
func lengthsInTurn(largest int) (list []int) {
	for _, first := range []int{1, 4, 2, 8} {
		for n := first * leastOperation; n <= largest; n *= 16 {
			list = append(list, n)
		}
	}
	for n := leastOperation; 2*n <= largest; n *= 2 {
		list = append(list, n+n/2)
	}
	return list
}

// leastOperation is the shortest length that is measured, in bytes: two elements.
const leastOperation = 16

// measure measures calls of n bytes if they are made by an algorithm that is wanted.
func (r *operationRank) measure(wanted []string, name string, n int, call func() error) error {
	if err := call(); err != nil {
		return err
	}
	name += "=" + r.world.Algorithm()
	if r.over || !slices.Contains(wanted, name) {
		return nil
	}
	before, err := r.place.AllHere()
	if err != nil {
		return err
	}
	longest, err := r.time(call)
	if r.over || err != nil {
		return err // a few parts say little: others may have had the CPUs
	}
	r.any = true
	after, err := r.place.AllHere()
	if err != nil || !before || !after {
		return err
	}
	if r.world.Rank() == 0 {
		_, err = fmt.Println(name, n, strings.Trim(fmt.Sprintf("%.1f", longest), "[]"))
	}
	return err
}

// mostRounds bounds the calls of a part.
const mostRounds = 1 << 12

// rowTime bounds how long the parts of a row take together. A part that takes longer is a row by itself.
const rowTime = 1e6 // ns

// time returns what a call takes in each of several parts, in ns, on the rank on which it takes longest: the root of a
// broadcast may be ahead. The parts of a row follow one another as calls of a program do, because the first calls
// behind a barrier take longer.
func (r *operationRank) time(call func() error) (longest []float64, err error) {
	r.times = r.times[:0]
	for rounds, row := 1, 1; len(r.times) < operationParts; {
		t, err := r.row(row, rounds, call)
		switch {
		case r.over || err != nil:
			return nil, err
		case len(r.times) == 1 && t < partTime/2 && rounds < mostRounds:
			rounds *= 2
			r.times = r.times[:0]
			continue
		}
		row = min(max(1, int(rowTime/t)), operationParts-len(r.times))
	}
	longest = make([]float64, operationParts)
	return longest, mpi.Allreduce(r.world, r.times, longest, mpi.Max[float64]())
}

// row makes parts of calls behind a barrier, and keeps what a call took in each of them. It returns on all
// ranks how long the last part took on rank 0, in ns.
func (r *operationRank) row(parts, rounds int, call func() error) (ns float64, err error) {
	if err := r.world.Barrier(); err != nil {
		return 0, err
	}
	var took time.Duration
	start := time.Now()
	for range parts {
		for range rounds {
			if err := call(); err != nil {
				return 0, err
			}
		}
		end := time.Now()
		took, start = end.Sub(start), end
		r.times = append(r.times, float64(took.Nanoseconds())/float64(rounds))
	}
	said := []float64{float64(took.Nanoseconds()), time.Until(r.end).Seconds()}
	if err := mpi.Bcast(r.world, said, 0); err != nil {
		return 0, err
	}
	r.over = said[1] <= 0 && r.any
	return said[0], nil
}
