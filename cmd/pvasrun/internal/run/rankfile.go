package run

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/options"
	"github.com/gopvas/gopvas/internal/node/topology"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/cluster"
)

// A seat is what a line of a rankfile says: the node of a rank, and its CPUs there.
type seat struct {
	host string
	cpus []int
}

// takeRankfile places each rank as the file of --rankfile says.
func (f *Flags) takeRankfile() error {
	if f.Hosts != "" || f.Hostfile != "" || f.Bind.To != "auto" || f.PerNode > 0 || f.MapBy != (mapping{}) {
		return errors.New("it says the node and the CPUs of each rank: leave out --hosts, --hostfile, --map-by, " +
			"--bind and --per-node")
	}
	text, err := options.ReadFile(f.Rankfile)
	if err != nil {
		return err
	}
	sockets, err := launcher.Domains("socket")
	if err != nil {
		return err
	}
	cores, err := launcher.Domains("core")
	if err != nil {
		return err
	}
	seats, err := parseRankfile(text, sockets, cores)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Rankfile, err)
	}
	return f.takeSeats(seats)
}

// takeSeats divides what a rankfile says into nodes and bindings. The ranks of each node are bound alike.
func (f *Flags) takeSeats(seats []seat) error {
	sets := map[string][][]int{}
	var names []string
	for _, s := range seats {
		if _, known := sets[s.host]; !known {
			names = append(names, s.host)
		}
		sets[s.host] = append(sets[s.host], s.cpus)
		f.nodes.Of = append(f.nodes.Of, slices.Index(names, s.host))
	}
	longest := slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(len(sets[a]), len(sets[b])) })
	hosts := make([]string, len(names))
	for i, name := range names {
		hosts[i] = fmt.Sprintf("%s:%d", name, len(sets[name]))
		for n, cpus := range sets[name] {
			if !slices.Equal(cpus, sets[longest][n]) {
				return fmt.Errorf("rank %d of node %s and that of node %s have different slots: give the first "+
					"rank of each node the same ones, and so on", n, name, longest)
			}
		}
	}
	f.Hosts, f.Bind.Binding = strings.Join(hosts, ","), launcher.Binding{Sets: sets[longest]}
	if len(names) == 1 && cluster.IsHere(names[0]) {
		f.Hosts, f.nodes.Of = "", nil
	}
	if f.NP == cli.NotGiven {
		f.NP = len(seats)
	}
	if f.NP > len(seats) {
		return fmt.Errorf("it has places for %d ranks, and the job has %d", len(seats), f.NP)
	}
	return nil
}

// parseRankfile reads lines of the form "rank 0=node1 slot=0:1-2": a socket and some of its cores, or cores alone.
func parseRankfile(text string, sockets, cores [][]int) (seats []seat, err error) {
	byRank := map[int]seat{}
	for number, line := range slices.Collect(strings.Lines(text)) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		rank, s, err := parseSeat(words, sockets, cores)
		if err == nil {
			if _, twice := byRank[rank]; twice {
				err = fmt.Errorf("rank %d has a line before", rank)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
		byRank[rank] = s
	}
	for rank := range len(byRank) {
		s, there := byRank[rank]
		if !there {
			return nil, fmt.Errorf("there is no line for rank %d", rank)
		}
		seats = append(seats, s)
	}
	if seats == nil {
		return nil, errors.New("it has no line such as rank 0=node1 slot=0")
	}
	return seats, nil
}

func parseSeat(words []string, sockets, cores [][]int) (rank int, s seat, err error) {
	bad := errors.New("write for example rank 0=node1 slot=0:1-2")
	if len(words) != 3 || words[0] != "rank" {
		return 0, s, bad
	}
	number, host, ok1 := strings.Cut(words[1], "=")
	slots, ok2 := strings.CutPrefix(words[2], "slot=")
	if rank, err = strconv.Atoi(number); err != nil || rank < 0 || !ok1 || !ok2 || host == "" {
		return 0, s, bad
	}
	if strings.HasPrefix(host, "+") {
		return 0, s, fmt.Errorf("%s: write the name of the node", host)
	}
	s.host = host
	socket, list, ok := strings.Cut(slots, ":")
	own := cores
	if ok {
		n, err := strconv.Atoi(socket)
		if err != nil || n < 0 || n >= len(sockets) {
			return 0, s, fmt.Errorf("slot=%s: there are sockets 0 to %d", slots, len(sockets)-1)
		}
		own = slices.DeleteFunc(slices.Clone(cores), func(core []int) bool {
			return !slices.Contains(sockets[n], core[0])
		})
	} else {
		list = slots
	}
	if list == "*" {
		list = fmt.Sprintf("0-%d", len(own)-1)
	}
	for span := range strings.SplitSeq(list, ",") {
		numbers, err := topology.ParseRange(span)
		if err != nil {
			return 0, s, fmt.Errorf("slot=%s: %w", slots, err)
		}
		for _, n := range numbers {
			if n >= len(own) {
				return 0, s, fmt.Errorf("slot=%s: there are cores 0 to %d", slots, len(own)-1)
			}
			s.cpus = append(s.cpus, own[n]...)
		}
	}
	slices.Sort(s.cpus)
	return rank, s, nil
}
