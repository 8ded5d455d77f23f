package npb

import (
	"github.com/gopvas/gopvas/internal/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// is is the integer sort (RNR-94-007 section 2.8): it finds the rank of each key, ten
// times, with two keys changed in between. Each rank has a part of the keys. It groups
// them by their leading bits; the groups are dealt out so that each rank gets about
// as many keys, in ascending order, and it counts those it gets.
type is struct{}

func (is) check(class Class, ranks int) error {
	if class == S {
		return powerOfTwo(ranks, 128)
	}
	return powerOfTwo(ranks, 1024)
}

func (is) run(world *mpi.Comm, class Class) Result {
	s := newSorter(world, isProblems[class])
	s.generate()
	s.iterate(1)
	s.passed = 0
	seconds := timed(world, func() {
		for i := range isIterations {
			s.iterate(i + 1)
		}
	})
	disorder := s.disorder()
	found := []int{s.passed, disorder}
	rankside.Check(mpi.Allreduce(world, nil, found, mpi.Sum[int]()))
	keys := 1 << isProblems[class].keys
	return newResult(Result{
		Size: []int{keys}, Iterations: isIterations, Operation: "keys ranked",
		Checks: []Comparison{
			{Name: "ranks of test keys found", Value: float64(found[0]), Want: isIterations * isTests},
			{Name: "keys out of order", Value: float64(found[1])},
		},
	}, seconds, float64(isIterations*keys))
}

// generate makes this rank's part of the keys: each is the sum of four pseudo-random
// numbers, scaled.
func (s *sorter) generate() {
	seed := sequence(314159265)
	seed.skip(4 * uint64(len(s.keys)) * uint64(s.world.Rank()))
	scale := float64(int(1) << s.maxKey / 4)
	for i := range s.keys {
		sum := seed.next()
		sum += seed.next()
		sum += seed.next()
		sum += seed.next()
		s.keys[i] = int32(scale * sum)
	}
}

// iterate ranks all keys after the changes of iteration n, from 1 on.
func (s *sorter) iterate(n int) {
	if s.world.Rank() == 0 {
		s.keys[n] = int32(n)
		s.keys[n+isIterations] = int32(1<<s.maxKey - n)
	}
	s.group()
	rankside.Check(mpi.Allreduce(s.world, s.sizes, s.totals, s.sum))
	s.deal()
	s.exchange()
	s.count()
	s.test(n)
}

// exchange sends all keys to the ranks that their buckets have been dealt to.
func (s *sorter) exchange() {
	rankside.Check(mpi.Alltoall(s.world, s.sends, s.receives))
	total := 0
	for i, n := range s.receives {
		s.receivesFrom[i] = total
		total += n
	}
	if cap(s.received) < total {
		s.received = make([]int32, total, total+total/16)
	}
	s.received = s.received[:total]
	rankside.Check(mpi.Alltoallv(s.world, s.grouped, s.sends, s.sendsAt, s.received, s.receives, s.receivesFrom))
}
