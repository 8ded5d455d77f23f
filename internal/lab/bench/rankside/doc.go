// Package rankside has what the rank programs of the benchmarks share: how one is chosen and reads its arguments, how
// many repetitions it makes, warm-up and timing, and messages between two ranks. runner/peer/common.h has the same in
// C.
package rankside
