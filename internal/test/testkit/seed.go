package testkit

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// EnvSeed is the environment variable with the seed of a run to be repeated.
const EnvSeed = "TEST_SEED"

// Seed returns a seed for random numbers and logs it. Set TEST_SEED to repeat a run.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if s := os.Getenv(EnvSeed); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("%s=%q is no number: %v", EnvSeed, s, err)
		}
	}
	t.Logf("%s=%d", EnvSeed, seed)
	return seed
}

// Rand returns a source of random numbers from a Seed.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 0))
}

// Rounds returns n, a quarter of it unless Long, and under the race detector a tenth, at least 1. It is for tests
// that draw n inputs, of which each shows the same races.
func Rounds(n int) int {
	switch {
	case Race:
		return max(1, n/10)
	case !Long():
		return max(1, n/4)
	}
	return n
}
