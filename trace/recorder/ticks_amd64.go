package recorder

import (
	"os"
	"slices"
	"strings"
)

// ticks reads the time stamp counter.
func ticks() uint64

// publishTicks stores v, after all stores before it, and reads the time stamp counter.
//
//go:noescape
func publishTicks(word *uint64, v uint64) uint64

// counterTrusted tells whether the kernel takes the time stamp counters of all CPUs for
// one steady clock: it strikes it off the list as soon as it finds that they are not.
func counterTrusted() bool {
	list, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/available_clocksource")
	return err == nil && slices.Contains(strings.Fields(string(list)), "tsc")
}
