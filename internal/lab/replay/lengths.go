package replay

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// byLength is what recording adds between two calls, by the length of a message, in order of it.
type byLength []gapOf

type gapOf struct {
	bytes uint64
	ns    float64
}

// lengths returns what a recording knows of lengths, by the pair of calls.
func (r Recording) lengths() map[string]byLength {
	all := map[string]byLength{}
	for name, ns := range r {
		at := strings.LastIndexByte(name, ' ')
		if at < 0 {
			continue
		}
		if bytes, err := strconv.ParseUint(name[at+1:], 10, 64); err == nil {
			all[name[:at]] = append(all[name[:at]], gapOf{bytes, ns})
		}
	}
	for _, list := range all {
		slices.SortFunc(list, func(a, b gapOf) int { return cmp.Compare(a.bytes, b.bytes) })
	}
	return all
}

// at draws a line between the lengths next to bytes. Beyond the first and the last one those count. There
// is one at least.
func (l byLength) at(bytes uint64) float64 {
	i, _ := slices.BinarySearchFunc(l, bytes, func(g gapOf, bytes uint64) int { return cmp.Compare(g.bytes, bytes) })
	if i == 0 || i == len(l) {
		return l[min(i, len(l)-1)].ns
	}
	a, b := l[i-1], l[i]
	return a.ns + (b.ns-a.ns)*float64(bytes-a.bytes)/float64(b.bytes-a.bytes)
}
