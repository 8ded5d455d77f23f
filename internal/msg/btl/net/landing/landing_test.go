package landing

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpans compares spans with a map of bytes.
func TestSpans(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		var s spans
		seen := map[int]bool{}
		for range 30 {
			from := rng.IntN(60)
			to := from + 1 + rng.IntN(12)
			fresh := 0
			for i := from; i < to; i++ {
				if !seen[i] {
					fresh++
					seen[i] = true
				}
			}
			require.Equal(t, fresh, s.add(from, to))
			for i := 1; i < len(s); i++ {
				require.Less(t, s[i-1].to, s[i].from)
			}
		}
	}
}

func TestLandings(t *testing.T) {
	var s Table[*int]
	const d = 1
	rt := new(int)
	for range 3 * mostLanding { // numbers come again
		n := s.Grant(rt, 7, make([]byte, 1000))
		require.NotZero(t, n)
		place := Place(n, 512, leastUnit)
		require.Nil(t, s.Locate(d, 8, place, 10), "of another peer")
		require.Nil(t, s.Locate(d, 7, place, 600), "too long")
		require.Len(t, s.Locate(d, 7, place, 488), 488)
		device, ok := s.Close(n)
		require.False(t, ok)
		require.Equal(t, 1, device)
		ended, fresh, ok := s.Ended(d, 7, place, true)
		require.True(t, ok)
		require.Same(t, rt, ended)
		require.Equal(t, 488, fresh)
		_, _, ok = s.Ended(d, 7, place, false)
		require.False(t, ok, "no block is open there")
		_, ok = s.Close(n)
		require.True(t, ok)
		require.Nil(t, s.Locate(d, 7, place, 10), "over")
	}
	meeting(t, &s)
	comingAgain(t, &s)
	numbers := map[uint32]bool{}
	for range mostLanding {
		numbers[s.Grant(rt, 7, nil)] = true
	}
	require.Len(t, numbers, mostLanding)
	require.Zero(t, s.Grant(rt, 7, nil), "all are in use")
	require.Equal(t, leastUnit, UnitOf(1))
	require.Equal(t, leastUnit, UnitOf(1<<28-1))
	require.Equal(t, leastUnit+4, UnitOf(1<<32-1))
}

// meeting: a piece comes by a second device while it is coming by the first, which fails.
func meeting(t *testing.T, s *Table[*int]) {
	const first, second = 0, 1
	buf := make([]byte, 1000)
	n := s.Grant(new(int), 7, buf)
	place := Place(n, 256, leastUnit)
	require.Same(t, &buf[256], &s.Locate(first, 7, place, 300)[0])
	apart := s.Locate(second, 7, place, 300)
	apart[0], apart[299] = 1, 2
	s.Ended(second, 7, place, true)
	require.Zero(t, buf[256], "the first may still write there")
	device, ok := s.Close(n)
	require.False(t, ok)
	require.Zero(t, device)
	s.Ended(first, 7, place, false)
	_, ok = s.Close(n)
	require.True(t, ok)
	require.Equal(t, byte(1), buf[256])
	require.Equal(t, byte(2), buf[555])
}

// comingAgain: a piece has come, and comes again by another device, which fails: until a block is
// whole its memory may hold anything.
func comingAgain(t *testing.T, s *Table[*int]) {
	const first, second = 0, 1
	buf := make([]byte, 1000)
	n := s.Grant(new(int), 7, buf)
	place := Place(n, 256, leastUnit)
	s.Locate(first, 7, place, 300)[0] = 1
	_, fresh, _ := s.Ended(first, 7, place, true)
	require.Equal(t, 300, fresh)
	s.Locate(second, 7, place, 700)[0] = 99
	require.Equal(t, byte(1), buf[256])
	_, fresh, _ = s.Ended(second, 7, place, false)
	require.Zero(t, fresh)
	again := s.Locate(second, 7, place, 700)
	again[0], again[699] = 1, 2
	_, fresh, _ = s.Ended(second, 7, place, true)
	require.Equal(t, 400, fresh)
	_, ok := s.Close(n)
	require.True(t, ok)
	require.Equal(t, []byte{1, 2}, []byte{buf[256], buf[955]})
}
