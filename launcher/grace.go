package launcher

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/roster"
)

// A grace is the time that ranks have to end in an orderly way. A rank that gets no CPU cannot use it: beside load, or
// under nice 19, that may be so for seconds. So it begins again while some rank has waited for a CPU most of the time
// until then, and has had too little of one to end. A rank that computes has had enough soon.
type grace struct {
	over  <-chan time.Time // nil until begin
	time  time.Duration
	again int             // how often it has begun again
	had   map[int]cpuTime // by process, when it began first
}

// cpuTime is what all threads of a process have had together.
type cpuTime struct {
	ran    time.Duration
	waited time.Duration // for a CPU, until a thread had one again
	wants  bool          // a thread runs, or waits for a CPU now
}

// cpuTimeOf returns zeros if the kernel tells nothing.
func cpuTimeOf(pid int) (sum cpuTime) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid)) // an error: the pattern is right
	for _, thread := range threads {
		text, _ := os.ReadFile(thread + "/schedstat") // an error: that thread has ended
		r := sys.ParseRunDelay(text)
		sum.ran, sum.waited = sum.ran+r.Ran, sum.waited+r.Waited
		stat, _ := os.ReadFile(thread + "/stat") // likewise
		_, after, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
		sum.wants = sum.wants || bytes.HasPrefix(after, []byte("R"))
	}
	return sum
}

const (
	// enoughToEnd is how much CPU time a handler of a signal takes at most that was written for this.
	enoughToEnd = 100 * time.Millisecond

	// mostAgain bounds the time of a job whose ranks get no CPU for good.
	mostAgain = 9
)

func (g *grace) begin(d time.Duration, ranks *roster.Table) {
	g.over, g.time, g.had = time.After(d), d, map[int]cpuTime{}
	for pid := range ranks.Living() {
		g.had[pid] = cpuTimeOf(pid)
	}
}

// goOn begins again if some rank has had too little CPU time, and tells whether it has begun again.
func (g *grace) goOn(ranks *roster.Table) bool {
	if g.again == mostAgain {
		return false
	}
	most := g.time * time.Duration(g.again+1) / 2
	for pid := range ranks.Living() {
		now, before := cpuTimeOf(pid), g.had[pid]
		if now.ran-before.ran < enoughToEnd && (now.wants || now.waited-before.waited > most) {
			g.again++
			g.over = time.After(g.time)
			return true
		}
	}
	return false
}
