package transport

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A gauge sees how much memory the kernel of this machine keeps for sockets: for what is queued in them, in either
// direction. It looks every 5 ms, and keeps the most. Of the time before it was made it knows what there was, which
// does not count. The kernel counts in lots of a MiB for each CPU, so differences below that say nothing.
type gauge struct {
	before int64
	stop   chan struct{}
	ended  sync.WaitGroup

	mu   sync.Mutex
	most int64
}

// gaugePeriod is how often a gauge looks: often, beside an experiment of half a second.
const gaugePeriod = 5 * time.Millisecond

func newGauge() *gauge {
	g := &gauge{before: queued(), stop: make(chan struct{})}
	g.ended.Go(func() {
		tick := time.NewTicker(gaugePeriod)
		defer tick.Stop()
		for {
			select {
			case <-g.stop:
				return
			case <-tick.C:
				g.look()
			}
		}
	})
	return g
}

func (g *gauge) look() {
	now := queued() - g.before
	g.mu.Lock()
	defer g.mu.Unlock()
	g.most = max(g.most, now)
}

// take returns the most KiB since it was last called.
func (g *gauge) take() int64 {
	g.look()
	g.mu.Lock()
	defer g.mu.Unlock()
	defer func() { g.most = 0 }()
	return g.most
}

func (g *gauge) close() {
	close(g.stop)
	g.ended.Wait()
}

// queued is how many KiB the sockets of TCP and UDP of all namespaces have, as far as the kernel says it.
func queued() int64 {
	text, _ := os.ReadFile("/proc/net/sockstat")
	s := parseSockets(string(text))
	return (s["TCP mem"] + s["UDP mem"]) * int64(os.Getpagesize()) >> 10
}

// sockets counts the sockets of TCP and UDP that the nodes have.
func (c *Cluster) sockets() (n int64) {
	for _, s := range c.spaces[:c.Nodes()] {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/sockstat", s.pid()))
		counts := parseSockets(string(text))
		n += counts["TCP inuse"] + counts["UDP inuse"]
	}
	return n
}

// wakes counts how often threads of the processes have gone to sleep of their own will. Each time something woke them.
func wakes(all []*process) (n uint64) {
	for _, p := range all {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", p.cmd.Process.Pid))
		for _, file := range tasks {
			text, _ := os.ReadFile(file)
			n += parseWakes(string(text))
		}
	}
	return n
}

// parseWakes reads the status of a thread.
func parseWakes(text string) uint64 {
	_, rest, _ := strings.Cut(text, "\nvoluntary_ctxt_switches:")
	line, _, _ := strings.Cut(rest, "\n")
	n, _ := strconv.ParseUint(strings.TrimSpace(line), 10, 64)
	return n
}

// parseSockets reads a sockstat file of /proc, whose lines are a protocol, names and numbers.
func parseSockets(text string) map[string]int64 {
	counts := map[string]int64{}
	for line := range strings.Lines(text) {
		protocol, rest, _ := strings.Cut(line, ":")
		words := strings.Fields(rest)
		for i := 0; i+1 < len(words); i += 2 {
			counts[protocol+" "+words[i]], _ = strconv.ParseInt(words[i+1], 10, 64)
		}
	}
	return counts
}
