package cluster

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gopvas/gopvas/internal/node/job"
)

// ParseHosts parses the value of --hosts: names separated by commas, each with the number of ranks there behind a
// colon, or without one. A node that is named twice takes the sum. A name may have numbers in brackets, as Slurm writes
// them: n[1-3,07].
func ParseHosts(list string) ([]Host, error) {
	var hosts []Host
	for _, item := range cutList(list) {
		names := []string{item}
		if slurmSpan.MatchString(item) {
			var err error
			if names, err = expandNodes(item); err != nil {
				return nil, err
			}
		}
		for _, name := range names {
			h, err := parseHost(name)
			if err != nil {
				return nil, err
			}
			hosts = addHost(hosts, h)
		}
	}
	return hosts, nil
}

// slurmSpan finds numbers in brackets, as Slurm has them behind a name. Those of an IPv6 address are before all else.
var slurmSpan = regexp.MustCompile(`.\[[0-9,-]+\]`)

// cutList divides a list at commas that are in no brackets.
func cutList(list string) (items []string) {
	begin, inside := 0, false
	for i, c := range list {
		switch {
		case c == '[' || c == ']':
			inside = c == '['
		case c == ',' && !inside:
			items, begin = append(items, list[begin:i]), i+1
		}
	}
	return append(items, list[begin:])
}

// parseHost parses "name" or "name:4". An IPv6 address stands in brackets if a number
// follows.
func parseHost(item string) (h Host, err error) {
	h.Name = strings.TrimSpace(item)
	if name, slots, ok := cutSlots(h.Name); ok {
		h.Name = name
		if h.Slots, err = parseSlots(slots); err != nil {
			return h, fmt.Errorf("launcher: host %q: %w: write for example node1:4", item, err)
		}
	}
	h.Name = strings.Trim(h.Name, "[]")
	if h.Name == "" || strings.HasPrefix(h.Name, "-") || strings.ContainsFunc(h.Name, strange) {
		return h, fmt.Errorf("launcher: host %q: that is no name of a host: write for example node1:4", item)
	}
	return h, nil
}

// strange tells whether a character is in no name of a host, nor in the user before it or the zone behind it.
func strange(c rune) bool {
	return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("-_.:@%", c)
}

func parseSlots(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > job.MaxRanks {
		return 0, fmt.Errorf("%q is no number of ranks from 1 to %d", text, job.MaxRanks)
	}
	return n, nil
}

func cutSlots(item string) (name, slots string, ok bool) {
	if i := strings.LastIndex(item, "]"); i >= 0 { // [fe80::1]:4
		slots, ok = strings.CutPrefix(item[i+1:], ":")
		return item[:i+1], slots, ok
	}
	if strings.Count(item, ":") > 1 { // an IPv6 address
		return item, "", false
	}
	return strings.Cut(item, ":")
}

// addHost adds a host to a list, or its slots to those it has there.
func addHost(hosts []Host, h Host) []Host {
	i := slices.IndexFunc(hosts, func(o Host) bool { return o.Name == h.Name })
	if i < 0 {
		return append(hosts, h)
	}
	hosts[i].Slots = max(hosts[i].Slots, 1) + max(h.Slots, 1)
	return hosts
}

// likeThis ends the error of a file that is no hostfile.
const likeThis = ": name a file with a host on each line, such as node1 slots=4"

// ReadHostfile reads a file with a host per line, as the MPIs have it: "node1 slots=4",
// "node1:4", or "node1"; the text after a # is a comment. A line with other words is refused.
func ReadHostfile(path string) ([]Host, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("launcher: hostfile: %w%s", err, likeThis)
	}
	defer f.Close()
	return parseHostfile(f, path)
}

func parseHostfile(r io.Reader, path string) (hosts []Host, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(aroundEqual.ReplaceAllString(text, "="))
		if len(words) == 0 {
			continue
		}
		h, err := parseLine(words)
		if err != nil {
			return nil, fmt.Errorf("launcher: hostfile %s, line %d: %w", path, n, err)
		}
		hosts = addHost(hosts, h)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("launcher: hostfile %s: a line is longer than %d bytes: is it a hostfile?", path,
			bufio.MaxScanTokenSize)
	} else if err != nil {
		return nil, fmt.Errorf("launcher: hostfile %s: %w%s", path, err, likeThis)
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("launcher: hostfile %s: it names no host%s", path, likeThis)
	}
	return hosts, nil
}

// aroundEqual is what Open MPI lets people write: slots = 4.
var aroundEqual = regexp.MustCompile(`\s*=\s*`)

// parseLine parses the words of a line of a hostfile. Open MPI's max_slots is no more than a bound for slots.
func parseLine(words []string) (h Host, err error) {
	if h, err = parseHost(words[0]); err != nil {
		return h, err
	}
	most := job.MaxRanks
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "slots":
			if h.Slots != 0 {
				return h, fmt.Errorf("%s has two numbers of ranks: leave one out", h.Name)
			}
			h.Slots, err = parseSlots(value)
		case "max_slots", "max-slots":
			most, err = parseSlots(value)
		default:
			err = fmt.Errorf("%q means nothing here: write the name of one host and its number of ranks, %s slots=4",
				word, h.Name)
		}
		if err != nil {
			return h, err
		}
	}
	if h.Slots == 0 && most < job.MaxRanks || h.Slots > most {
		return h, fmt.Errorf("max_slots=%d says no number of ranks up to that: write slots=%[1]d", most)
	}
	return h, nil
}

// Slots returns how many ranks the hosts take; one without a number takes 1.
func Slots(hosts []Host) (n int) {
	for _, h := range hosts {
		n += max(h.Slots, 1)
	}
	return n
}

// someSlots tells whether the number of ranks of a host is given.
func someSlots(hosts []Host) bool {
	return slices.ContainsFunc(hosts, func(h Host) bool { return h.Slots > 0 })
}

// Deal returns the number of ranks of each host. If any host has a number, hosts are filled in
// order, up to their numbers, and a host without one takes 1. Else all take the same number,
// or the first ones one more.
func Deal(hosts []Host, ranks int) ([]int, error) {
	parts := make([]int, len(hosts))
	if !someSlots(hosts) {
		for i := range parts {
			parts[i] = (ranks + len(hosts) - 1 - i) / len(hosts)
		}
		return parts, nil
	}
	left := ranks
	for i, h := range hosts {
		parts[i] = min(left, max(h.Slots, 1))
		left -= parts[i]
	}
	if left > 0 {
		return nil,
			fmt.Errorf("launcher: hosts: they take %d ranks, and the job has %d: give more hosts, or other "+
				"numbers behind their names", ranks-left, ranks)
	}
	return parts, nil
}

// deal returns the number of the host of each rank.
func (n *Nodes) deal(ranks int) (of []int, err error) {
	if n.Of != nil {
		if len(n.Of) < ranks {
			return nil, fmt.Errorf("launcher: hosts: there are places for %d ranks, and the job has %d", len(n.Of),
				ranks)
		}
		return n.Of[:ranks], nil
	}
	room, err := Deal(n.Hosts, ranks)
	if err != nil {
		return nil, err
	}
	turn := ranks
	if n.ByNode {
		turn = 1
		for i, h := range n.Hosts {
			room[i] = max(room[i], h.Slots, 1)
		}
	}
	for len(of) < ranks {
		for i := range room {
			k := min(room[i], turn, ranks-len(of))
			of = append(of, slices.Repeat([]int{i}, k)...)
			room[i] -= k
		}
	}
	return of, nil
}
