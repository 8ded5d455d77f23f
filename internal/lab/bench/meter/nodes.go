package meter

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher"
)

// NodeMemory is what lies on a NUMA node, and what belongs there. Sizes are KiB.
type NodeMemory struct {
	Node  int
	Ranks int // that are bound to the node

	// Private memory of these ranks, on the node and on others.
	Near, Far int64

	Other  int64 // other private memory on the node: of ranks that are bound to none, and of no known rank
	Shared int64 // pages of files and of shared memory on the node, once for each address space
}

// area is a line of numa_maps.
type area struct {
	start   uint64
	chosen  int           // the node that was chosen for it; Unknown: none was
	private bool          // some of its pages are private
	mixed   bool          // others are not
	nodes   map[int]int64 // KiB by node
}

// FarMemory is private memory of a rank on other nodes than the one that it is bound to, in KiB.
type FarMemory struct {
	Rank, Node int // in the job, and on the machine
	Far        int64
}

// nodesOf counts the memory of a job by node, and that which is far by rank. There is none on a machine with one node.
func nodesOf(p launcher.Processes) (list []NodeMemory, far []FarMemory, err error) {
	if p.Domains == nil {
		return nil, nil, nil
	}
	t := tally{p: &p, nodes: map[int]*NodeMemory{}, far: make([]int64, len(p.Domains))}
	for _, d := range p.Domains {
		if d.NUMA != job.Unknown {
			t.at(d.NUMA).Ranks++
		}
	}
	for i, pid := range p.Spaces() {
		rank := -1
		if p.BTL != job.BTLPvas {
			rank = i
		}
		if err := t.addProcess(pid, rank); err != nil {
			return nil, nil, err
		}
	}
	for rank, kib := range t.far {
		if kib > 0 {
			far = append(far, FarMemory{p.Numbers[rank], p.Domains[rank].NUMA, kib})
		}
	}
	slices.SortStableFunc(far, func(a, b FarMemory) int { return cmp.Compare(b.Far, a.Far) })
	for _, n := range t.nodes {
		list = append(list, *n)
	}
	slices.SortFunc(list, func(a, b NodeMemory) int { return a.Node - b.Node })
	return list, far, nil
}

type tally struct {
	p      *launcher.Processes
	nodes  map[int]*NodeMemory
	far    []int64        // by rank
	owners map[uint64]int // of areas of one address space outside of partitions
}

func (t *tally) at(node int) *NodeMemory {
	if t.nodes[node] == nil {
		t.nodes[node] = &NodeMemory{Node: node}
	}
	return t.nodes[node]
}

// addProcess counts an address space: of a rank, or of all that share it (-1).
func (t *tally) addProcess(pid, rank int) error {
	f, err := os.Open(fmt.Sprintf("/proc/%d/numa_maps", pid))
	if err != nil {
		return err
	}
	defer f.Close()
	var areas []area
	if err := readAreas(f, func(a area) { areas = append(areas, a) }); err != nil {
		return err
	}
	maps, err := areasOf(pid)
	if err != nil {
		return err
	}
	ends := map[uint64]uint64{}
	for _, a := range maps {
		ends[a.Start] = a.End
	}
	if rank < 0 {
		t.owners = ownersOf(maps, tracesOf(t.p.Ranks))
	}
	for _, a := range areas {
		if !a.mixed {
			t.add(a, rank)
			continue
		}
		private, shared, err := split(pid, a, ends[a.start])
		if err != nil {
			return err
		}
		t.add(private, rank)
		t.add(shared, rank)
	}
	return nil
}

// add counts an area of a rank's address space; rank -1: of the one that all share.
func (t *tally) add(a area, rank int) {
	if rank < 0 {
		rank = slices.IndexFunc(t.p.Partitions, func(r [2]uint64) bool { return a.start-r[0] < r[1] }) // wraps below it
	}
	if owner, known := t.owners[a.start]; known && rank < 0 {
		rank = owner
	}
	home := job.Unknown
	if rank >= 0 {
		home = t.p.Domains[rank].NUMA
	}
	if home != job.Unknown && a.chosen != job.Unknown {
		home = a.chosen // of a window in one piece, that of another rank
	}
	for node, kib := range a.nodes {
		switch {
		case !a.private:
			t.at(node).Shared += kib
		case home == job.Unknown:
			t.at(node).Other += kib
		case home == node:
			t.at(home).Near += kib
		default:
			t.at(home).Far += kib
			t.far[rank] += kib
		}
	}
}

// readAreas reads numa_maps. A line is
//
//	7f52a0000000 prefer:1 file=/bin/x anon=2 dirty=2 N0=5 N1=2 kernelpagesize_kB=4
func readAreas(r io.Reader, add func(area)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) < 2 {
			return fmt.Errorf("numa_maps: line %q", lines.Text())
		}
		start, err := strconv.ParseUint(f[0], 16, 64)
		if err != nil {
			return fmt.Errorf("numa_maps: %w", err)
		}
		a := area{start: start, chosen: job.Unknown, nodes: map[int]int64{}}
		if node, ok := strings.CutPrefix(f[1], "prefer:"); ok {
			if a.chosen, err = strconv.Atoi(node); err != nil {
				a.chosen = job.Unknown
			}
		}
		page, all, anon := int64(4), int64(0), int64(0)
		for _, word := range f[2:] {
			name, value, _ := strings.Cut(word, "=")
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				continue // file=...
			}
			switch {
			case name == "anon":
				anon = n
			case name == "kernelpagesize_kB":
				page = n
			case strings.HasPrefix(name, "N"):
				node, err := strconv.ParseUint(name[1:], 10, 31)
				if err != nil {
					return fmt.Errorf("numa_maps: %w", err)
				}
				a.nodes[int(node)] = n
				all += n
			}
		}
		a.private, a.mixed = anon > 0, anon > 0 && anon < all
		for node := range a.nodes {
			a.nodes[node] *= page
		}
		add(a)
	}
	return lines.Err()
}

// WriteNodes writes the memory by node for people; nothing on a machine with one node.
func (m Measurement) WriteNodes(w io.Writer) error {
	if len(m.Nodes) == 0 {
		return nil
	}
	var near, far int64
	var b strings.Builder
	fmt.Fprintf(&b, "%-16s %14s %12s %16s %14s %14s\n", "KiB by NUMA node", "ranks bound", "theirs here",
		"theirs elsewhere", "other private", "shared")
	for _, n := range m.Nodes {
		fmt.Fprintf(&b, "%-16d %14d %12d %16d %14d %14d\n", n.Node, n.Ranks, n.Near, n.Far, n.Other, n.Shared)
		near, far = near+n.Near, far+n.Far
	}
	if near+far > 0 {
		share := 100 * float64(near) / float64(near+far)
		fmt.Fprintf(&b, "%.1f %% of the memory of bound ranks lies on their nodes\n", share)
	}
	for _, f := range m.Far[:min(len(m.Far), mostFar)] {
		fmt.Fprintf(&b, "rank %d, bound to node %d: %d KiB elsewhere\n", f.Rank, f.Node, f.Far)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mostFar is how many ranks are told whose memory is far: those with most of it.
const mostFar = 8
