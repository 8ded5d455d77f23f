package meter

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/internal/node/areas"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Of an entry of /proc/PID/pagemap.
const (
	pagePresent = 1 << 63
	pageShared  = 1 << 61 // of a file, or of shared memory
)

// split divides an area that has private pages and pages of a file, which numa_maps adds up. It looks at all pages of
// the area one by one.
func split(pid int, a area, end uint64) (private, shared area, err error) {
	private, shared = area{start: a.start, chosen: a.chosen, private: true}, area{start: a.start}
	private.nodes, shared.nodes = map[int]int64{}, map[int]int64{}
	if end <= a.start {
		return private, shared, fmt.Errorf("maps: no area at %#x", a.start)
	}
	entries, err := pageEntries(pid, a.start, end)
	if err != nil {
		return private, shared, err
	}
	page := os.Getpagesize()
	var pages []uintptr
	var to []*area
	for i, e := range entries {
		if e&pagePresent == 0 {
			continue
		}
		pages, to = append(pages, uintptr(a.start)+uintptr(i*page)), append(to, &private)
		if e&pageShared != 0 {
			to[len(to)-1] = &shared
		}
	}
	nodes, err := sys.PageNodes(pid, pages)
	if err != nil {
		return private, shared, err
	}
	for i, node := range nodes {
		if node >= 0 {
			to[i].nodes[node] += int64(page >> 10)
		}
	}
	return private, shared, nil
}

// areasOf returns the memory areas of a process.
func areasOf(pid int) (list []areas.Area, err error) {
	maps, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err
	}
	defer maps.Close()
	return list, areas.Read(maps, func(a areas.Area) { list = append(list, a) })
}

// pageEntries reads the entries of pagemap for the pages of an area.
func pageEntries(pid int, start, end uint64) ([]uint64, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/pagemap", pid))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	page := uint64(os.Getpagesize())
	raw := make([]byte, (end-start)/page*8)
	if _, err := f.ReadAt(raw, int64(start/page*8)); err != nil {
		return nil, fmt.Errorf("pagemap: %w", err)
	}
	entries := make([]uint64, len(raw)/8)
	for i := range entries {
		entries[i] = binary.NativeEndian.Uint64(raw[8*i:])
	}
	return entries, nil
}
