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

// CPU starts a CPU profile of this rank. It is local, does not block, and fails if one of this process is running.
//
// Each rank calls stop once; a second call is refused. It ends the profile, is collective on c, and blocks as
// mpi.GatherAlloc does. Rank 0 merges the profiles of all ranks and writes them to its w, in the format of pprof; the
// others may pass a nil w. If that fails, rank 0 alone gets the error. Each sample has the label rank, the number in c,
// for go tool pprof -tags, -tagfocus='rank=^3$' and -tagroot=rank.
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
		return errors.New("rank 0 has no writer for the profile: pass one to CPU")
	}
	profiles := make([]*profile.Profile, len(all))
	for rank, text := range all {
		p, err := profile.ParseData(text)
		if err != nil {
			return fmt.Errorf("the profile of rank %d: %w", rank, err)
		}
		p.SetLabel("rank", []string{strconv.Itoa(rank)}) // as text: pprof leaves out a number that is 0
		used := map[*profile.Mapping]bool{}
		for _, l := range p.Location {
			used[l.Mapping] = true
		}
		// The first mapping names the program. In one address space it may be of another process, which has no samples.
		p.Mapping = slices.DeleteFunc(p.Mapping, func(m *profile.Mapping) bool { return !used[m] })
		profiles[rank] = p
	}
	one, err := profile.Merge(profiles)
	if err != nil {
		return err
	}
	return one.Write(w)
}
