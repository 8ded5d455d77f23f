//go:build amd64 || arm64

package recorder

import (
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/trace"
)

// ticks reads the counter that all CPUs have in common: the time stamp counter, or CNTVCT_EL0 on arm64.
func ticks() uint64

// publishTicks stores v, after all stores before it, and reads the counter. It has the
// cache fetch next, to be written soon.
//
//go:noescape
func publishTicks(word *uint64, v uint64, next *trace.Record) uint64

// returnAt returns the return address that is depth frames above the caller, 0 if there is none.
func returnAt(depth uint64) uintptr

// currentG returns the address of the runtime's record of the calling goroutine.
func currentG() uintptr

// counterTrusted tells whether the kernel takes the counters of all CPUs for
// one steady clock: it strikes it off the list as soon as it finds that they are not.
func counterTrusted() bool {
	list, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/available_clocksource")
	name := map[string]string{"amd64": "tsc", "arm64": "arch_sys_counter"}[runtime.GOARCH]
	return err == nil && slices.Contains(strings.Fields(string(list)), name)
}
