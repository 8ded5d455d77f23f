package npb

import (
	"slices"

	"github.com/gopvas/gopvas/mpi"
)

// maxBuckets is the most that a class has.
const maxBuckets = 1 << 10

// group sorts keys into grouped by bucket, and leaves the sizes of the buckets and the
// keys of the tests in sizes.
func (s *sorter) group() {
	var places [maxBuckets]uint32
	histogram(&places, s.keys, s.shift)
	clear(s.sizes)
	at := uint32(0)
	for b := range 1 << s.buckets {
		n := places[b]
		s.sizes[b], places[b] = int32(n), at
		at += n
	}
	scatter(s.grouped, &places, s.keys, s.shift)
	for i, t := range s.tests {
		if t.index/len(s.keys) == s.team.Rank() {
			s.sizes[1<<s.buckets+i] = s.keys[t.index%len(s.keys)]
		}
	}
}

// histogram counts the keys of each bucket. The counts are kept twice, so that equal
// keys in a row need not wait for one another.
func histogram(counts *[maxBuckets]uint32, keys []int32, shift uint) {
	var odd [maxBuckets]uint32
	shift %= 32 // nothing else, which spares a check
	for ; len(keys) >= 4; keys = keys[4:] {
		counts[uint32(keys[0])>>shift%maxBuckets]++
		odd[uint32(keys[1])>>shift%maxBuckets]++
		counts[uint32(keys[2])>>shift%maxBuckets]++
		odd[uint32(keys[3])>>shift%maxBuckets]++
	}
	for _, k := range keys {
		counts[uint32(k)>>shift%maxBuckets]++
	}
	for b := range counts {
		counts[b] += odd[b]
	}
}

// scatter puts each key to where places says for its bucket, and moves the place on.
// There are as many places in dst as keys: a power of two, which spares a check.
func scatter(dst []int32, places *[maxBuckets]uint32, keys []int32, shift uint) {
	if len(dst) == 0 {
		return
	}
	mask := uint(len(dst) - 1)
	shift %= 32
	for _, k := range keys {
		b := uint32(k) >> shift % maxBuckets
		at := places[b]
		places[b] = at + 1
		dst[uint(at)&mask] = k
	}
}

// deal gives each rank a range of buckets, so that ranks 0 to i have at least their
// share of the keys between them.
func (s *sorter) deal() {
	rank, sum, own := 0, 0, 0
	clear(s.sends)
	for b := range 1 << s.buckets {
		s.sends[rank] += int(s.sizes[b])
		sum += int(s.totals[b])
		if sum >= (rank+1)*len(s.keys) && rank+1 < len(s.sends) {
			rank++
			s.bounds[rank] = b + 1
		}
	}
	for r := rank + 1; r < len(s.bounds); r++ {
		s.bounds[r] = 1 << s.buckets
	}
	for r, n := range s.sends {
		s.sendsAt[r] = own
		own += n
	}
}

// span returns the range of this rank's keys, [low, high).
func (s *sorter) span() (low, high int) {
	r := s.team.Rank()
	return s.bounds[r] << s.shift, s.bounds[r+1] << s.shift
}

// count counts the keys of this rank and adds the counts up.
func (s *sorter) count() {
	low, high := s.span()
	mine := s.counts[:high-low]
	clear(mine)
	for _, keys := range s.received {
		tally(s.counts, keys, uint32(low))
	}
	sum := int32(0)
	for i, n := range mine {
		sum += n
		mine[i] = sum
	}
}

// tally counts the keys, all of which are in the range that begins with low. There
// are a power of two of counts, which spares a check.
func tally(counts, keys []int32, low uint32) {
	if len(counts) == 0 {
		return
	}
	mask := uint(len(counts) - 1)
	for _, k := range keys {
		counts[uint(uint32(k)-low)&mask]++
	}
}

// test compares the ranks of those test keys that are in this rank's range.
func (s *sorter) test(iteration int) {
	low, high := s.span()
	lesser := 0
	for _, n := range s.totals[:s.bounds[s.team.Rank()]] {
		lesser += int(n)
	}
	for i, t := range s.tests {
		key := int(s.totals[1<<s.buckets+i])
		if key < low || key >= high {
			continue
		}
		rank := lesser
		if key > low {
			rank += int(s.counts[key-1-low])
		}
		if rank == t.rank+t.slope*iteration {
			s.passed++
		}
	}
}

// disorder puts the keys into the order of their ranks and returns how many are
// less than the one before, on this rank or as the first of the next. The counts are
// used up.
func (s *sorter) disorder() (int, error) {
	low, _ := s.span()
	received := slices.Concat(s.received...)
	sorted := make([]int32, len(received))
	for _, k := range received {
		at := &s.counts[int(k)-low]
		*at--
		sorted[*at] = k
	}
	wrong := 0
	for i := 1; i < len(sorted); i++ {
		if sorted[i] < sorted[i-1] {
			wrong++
		}
	}
	most := slices.Repeat([]int32{-1}, s.team.Size()) // the greatest key of each rank
	if n := len(sorted); n > 0 {
		most[s.team.Rank()] = sorted[n-1]
	}
	if err := allreduce(s.team, most, mpi.Max[int32]()); err != nil {
		return 0, err
	}
	if below := most[:s.team.Rank()]; len(sorted) > 0 && len(below) > 0 && sorted[0] < slices.Max(below) {
		wrong++
	}
	return wrong, nil
}

// A sorter is a rank's part of the sort.
type sorter struct {
	team team
	all  []*sorter // of goroutines; nil: of ranks
	isProblem
	shift uint // of a key, to get its bucket

	keys     []int32   // this rank's part of the sequence
	grouped  []int32   // the same by bucket
	received [][]int32 // the keys of this rank's buckets, from all: one slice, or of each goroutine one
	counts   []int32   // by key, from the lowest of this rank on: how many of its keys are no greater

	// By bucket; behind them are the keys of the tests, each given by the rank that
	// has it, so that the sum over the ranks tells all.
	sizes, totals []int32
	sum           *mpi.Op[int32]

	bounds                 []int // by rank: its first bucket; and the number of buckets
	sends, sendsAt         []int // by rank: how many keys of grouped go there, and from where
	receives, receivesFrom []int

	passed int // tests
}

func newSorter(t team, p isProblem) *sorter {
	ranks, buckets := t.Size(), 1<<p.buckets
	n := 1 << p.keys / ranks
	s := &sorter{
		team: t, isProblem: p, shift: uint(p.maxKey - p.buckets),
		keys: make([]int32, n), grouped: make([]int32, n), counts: make([]int32, 1<<p.maxKey),
		sizes: make([]int32, buckets+isTests), totals: make([]int32, buckets+isTests), sum: mpi.Sum[int32](),
		bounds: make([]int, ranks+1), sends: make([]int, ranks), sendsAt: make([]int, ranks),
		receives: make([]int, ranks), receivesFrom: make([]int, ranks), received: make([][]int32, 1),
	}
	if m, shares := t.(*member); shares {
		s.all, s.received = gather(m, s), make([][]int32, ranks)
	}
	return s
}
