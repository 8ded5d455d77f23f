package npb

import "github.com/gopvas/gopvas/mpi"

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

func (k is) run(world *mpi.Comm, class Class) (Result, error) { return k.runBy(world, class) }

func (is) runBy(t team, class Class) (Result, error) {
	s := newSorter(t, isProblems[class])
	s.generate()
	if err := s.iterate(1); err != nil { // the first time takes page faults
		return Result{}, err
	}
	s.passed = 0
	seconds, err := timed(t, func() error {
		for i := range isIterations {
			if err := s.iterate(i + 1); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	disorder, err := s.disorder()
	if err != nil {
		return Result{}, err
	}
	found := []int{s.passed, disorder}
	if err := allreduce(t, found, mpi.Sum[int]()); err != nil {
		return Result{}, err
	}
	keys := 1 << isProblems[class].keys
	return newResult(Result{
		Size: []int{keys}, Iterations: isIterations, Operation: "keys ranked",
		Checks: []Comparison{
			{Name: "ranks of test keys found", Value: float64(found[0]), Want: isIterations * isTests},
			{Name: "keys out of order", Value: float64(found[1])},
		},
	}, seconds, float64(isIterations*keys)), nil
}

// generate makes this rank's part of the keys: each is the sum of four pseudo-random
// numbers, scaled.
func (s *sorter) generate() {
	seed := sequence(314159265)
	seed.skip(4 * uint64(len(s.keys)) * uint64(s.team.Rank()))
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
func (s *sorter) iterate(n int) error {
	if s.team.Rank() == 0 {
		s.keys[n] = int32(n)
		s.keys[n+isIterations] = int32(1<<s.maxKey - n)
	}
	s.group()
	copy(s.totals, s.sizes)
	if err := allreduce(s.team, s.totals, s.sum); err != nil {
		return err
	}
	s.deal()
	if err := s.exchange(); err != nil {
		return err
	}
	s.count()
	s.test(n)
	if s.all != nil { // who still counts my keys
		return s.team.Barrier()
	}
	return nil
}

// exchange sends all keys to the ranks that their buckets have been dealt to. Goroutines leave them where they are.
func (s *sorter) exchange() error {
	if s.all != nil {
		err := s.team.Barrier()
		for i, from := range s.all {
			s.received[i] = from.grouped[from.sendsAt[s.team.Rank()]:][:from.sends[s.team.Rank()]]
		}
		return err
	}
	world := s.team.(*mpi.Comm)
	if err := mpi.Alltoall(world, s.sends, s.receives); err != nil {
		return err
	}
	total := 0
	for i, n := range s.receives {
		s.receivesFrom[i] = total
		total += n
	}
	keys := s.received[0]
	if cap(keys) < total {
		keys = make([]int32, total, total+total/16)
	}
	s.received[0] = keys[:total]
	return mpi.Alltoallv(world, s.grouped, s.sends, s.sendsAt, s.received[0], s.receives, s.receivesFrom)
}
