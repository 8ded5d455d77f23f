package observe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime/pprof"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/google/pprof/profile"

	"github.com/gopvas/gopvas/mpi"
)

// CPU begins to record where this rank spends its CPU time. It is local, does not block, and fails if this process
// records already. What it returns ends that: a call of all ranks of c, of which rank 0 writes one profile of all to w.
// Each sample has the label rank, the number in c: go tool pprof -tags, -tagfocus='rank=^3$' and -tagroot=rank. The
// others may give a nil w. An error of writing is that of rank 0 alone. A second call of what it returns is refused.
func CPU(c *mpi.Comm, w io.Writer) (stop func() error, err error) {
	var own bytes.Buffer
	if err := pprof.StartCPUProfile(&own); err != nil {
		return nil, fmt.Errorf("observe: %w", err)
	}
	var ended atomic.Bool
	return func() error {
		if ended.Swap(true) {
			return errors.New("observe: this profile has ended already")
		}
		pprof.StopCPUProfile()
		all, err := mpi.GatherAlloc(c, own.Bytes(), 0)
		if err == nil && c.Rank() == 0 {
			err = merge(w, all)
		}
		if err != nil {
			err = fmt.Errorf("observe: %w", err)
		}
		return err
	}, nil
}

// merge writes one profile of those of all ranks.
func merge(w io.Writer, all [][]byte) error {
	if w == nil {
		return errors.New("rank 0 has no writer for the profile")
	}
	profiles := make([]*profile.Profile, len(all))
	for rank, text := range all {
		p, err := profile.ParseData(text)
		if err != nil {
			return fmt.Errorf("the profile of rank %d: %w", rank, err)
		}
		p.SetLabel("rank", []string{strconv.Itoa(rank)}) // a number that is 0 would get lost
		used := map[*profile.Mapping]bool{}
		for _, l := range p.Location {
			used[l.Mapping] = true
		}
		// The first one names the program; in one address space that would be one of another process.
		p.Mapping = slices.DeleteFunc(p.Mapping, func(m *profile.Mapping) bool { return !used[m] })
		profiles[rank] = p
	}
	one, err := profile.Merge(profiles)
	if err != nil {
		return err
	}
	return one.Write(w)
}
