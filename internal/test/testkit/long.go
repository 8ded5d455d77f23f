package testkit

import (
	"os"
	"slices"
	"testing"
)

// EnvLong is the environment variable that makes tests of many cases try all of them, for a release. Without it they
// try those that find most, so that go test ./... and .ci/run are soon over.
const EnvLong = "TEST_LONG"

// Long tells that all cases are to be tried.
func Long() bool { return os.Getenv(EnvLong) != "" }

// OnlyLong skips a test that takes long for what it finds.
func OnlyLong(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skipf("%s is not set", EnvLong)
	}
}

// Some returns all cases, or the first one unless Long.
func Some[T any](all ...T) []T {
	if Long() {
		return all
	}
	return all[:1]
}

// Turn returns all cases, or that one whose turn it is as i grows, unless Long.
func Turn[T any](i int, all ...T) []T {
	if Long() {
		return all
	}
	return all[i%len(all):][:1]
}

// Counts returns the numbers of ranks to run a case with. Unless Long it returns two of them: the first with peers, and
// the largest that is not many. The race detector takes ten times as long: under it there are two if Long, else the
// larger one.
func Counts(all ...int) []int {
	if Long() && !Race {
		return all
	}
	some := slices.DeleteFunc(slices.Clone(all), func(n int) bool { return n == 1 || n > 5 })
	if Race && !Long() {
		return some[len(some)-1:]
	}
	return slices.Compact([]int{some[0], some[len(some)-1]})
}
