package reach

import (
	"errors"
	"fmt"
	"sync"
	"syscall"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Process is the process of another rank. The calls of the system name it by its number, which another process may have
// after the rank has ended. A number is free only after its process was reaped. So each call asks twice whether the
// number may be free by now. To ask before it leaves a stranger no more than the time of a call. After it, the answer
// no proves that the number was the rank's all the while. Else the call fails, whatever the system has said of it.
//
//   - The supervisor says in the root block that it is about to reap a rank (job.Root.PidOver). That is a load.
//   - A rank may be started by a script, which reaps it. Then the kernel is asked by a descriptor of the process. It
//     was opened while the rank took part in Try, so it is the rank's.
//
// Two ranks that have the same parent are children of the supervisor, since a script starts one rank. An orphan falls
// to the supervisor, so that stays true.
type Process struct {
	pid  int
	root *job.Root
	rank int // of the job
	end  int // a descriptor of the process; -1: the supervisor reaps it
}

// mover is GatherProcess or ScatterProcess of package sys.
type mover func(pid int, bytes []byte, pieces []sys.IOVec) error

// move copies. The error is a *fault.LostError if the rank has ended.
func (p *Process) move(by mover, bytes []byte, pieces []sys.IOVec) error {
	if p.over() {
		return &fault.LostError{Rank: p.rank}
	}
	err := by(p.pid, bytes, pieces)
	if p.over() || errors.Is(err, syscall.ESRCH) {
		return &fault.LostError{Rank: p.rank}
	}
	return err
}

// over tells whether the number may be that of another process.
func (p *Process) over() bool { return p.root.PidOver(p.rank) || p.end >= 0 && sys.PidfdExited(p.end) }

// descriptors are those of processes that ranks of this one have found, by number. They stay: a rank has one process.
var descriptors struct {
	mu  sync.Mutex
	all map[int]int
}

// find returns the process of a rank, which takes part in Try. reaped tells that the supervisor reaps it.
func find(c *comm.Comm, rank, pid int, reaped bool) (*Process, error) {
	p := &Process{pid: pid, root: comm.Root(c), rank: comm.JobRank(c, rank), end: -1}
	if reaped {
		return p, nil
	}
	d := &descriptors
	d.mu.Lock()
	defer d.mu.Unlock()
	end, known := d.all[pid]
	if !known || sys.PidfdExited(end) {
		var err error
		if end, err = sys.PidfdOpen(pid); err != nil {
			return nil, fmt.Errorf("find the process of rank %d: %w", rank, err)
		}
		if d.all == nil {
			d.all = map[int]int{}
		}
		d.all[pid] = end
	}
	p.end = end
	return p, nil
}
