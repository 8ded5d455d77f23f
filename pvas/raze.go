package pvas

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gopvas/gopvas/internal/node/areas"
)

// Raze unmaps the partitions, and the files that tasks have mapped outside of them, but for what the caller keeps. It
// is for tasks that are to be killed and do not run any more: the kernel looks at all areas of the space at the end of
// each, so that the end of all takes time by the square of their number. Memory without a file outside the partitions
// stays: nothing tells whether it is a task's or the caller's. Raze destroys the space; it does not ask whether tasks
// are alive.
func (s *Space) Raze(keep Range) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return nil
	}
	s.dead = true
	for _, p := range s.programs {
		p.close()
	}
	err := unmap(s.reserved)
	found, listErr := fileAreas()
	err = errors.Join(err, listErr)
	for start, end := range found {
		if _, own := s.own[start]; !own && (end <= keep.Start || start >= keep.End) {
			err = errors.Join(err, unmap(Range{start, end}))
		}
	}
	if err != nil {
		return fmt.Errorf("pvas: raze: %w", err)
	}
	return nil
}

// fileAreas returns the mapped files of this process: the end of each area by its start.
func fileAreas() (map[uint64]uint64, error) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	defer maps.Close()
	found := map[uint64]uint64{}
	return found, areas.Read(maps, func(a areas.Area) {
		if strings.HasPrefix(a.Path, "/") {
			found[a.Start] = a.End
		}
	})
}
