package roster

import (
	"iter"
	"maps"
	"slices"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// A Table is the ranks of one node. It belongs to the goroutine of the supervisor.
//
//	expected --Started--> alive --Ended, Lost--> ended
//
// A rank may have ended before the host has told its pid. So the table keeps the ends of unknown processes until the
// next rank is started: then a pid may be used again.
type Table struct {
	Worlds
	pids   []int             // by rank; 0: not started
	began  []time.Time       // by rank: its start
	alive  map[int]int       // rank by pid
	early  map[int]host.Exit // ends of unknown processes, by pid
	ending map[int]bool      // ranks whose ends are no failures any more
	guest  int               // pid of rank 0 if it is no child: see Job.guest in package launcher
	kill   func(pid int, sig syscall.Signal) error
}

// New returns the table of a node that begins with so many ranks of all those of the job. It is a part of the job, or
// nil. guest is the pid of a rank 0 that runs already, or 0.
func New(p *part.Part, here, total, guest int) *Table {
	t := &Table{Worlds: Worlds{part: p}, guest: guest, alive: map[int]int{}, early: map[int]host.Exit{},
		ending: map[int]bool{}, kill: sys.Kill}
	t.Add(job.World{Size: total, Parent: -1}, here)
	return t
}

// Add makes room for the ranks of a world on this node.
func (t *Table) Add(w job.World, here int) {
	t.list = append(t.list, world{w, t.size})
	t.size += here
	t.pids = append(t.pids, make([]int, here)...)
	t.began = append(t.began, make([]time.Time, here)...)
}

// Pid returns the process of a rank; 0: it was not started.
func (t *Table) Pid(rank int) int { return t.pids[rank] }

// Pids returns the processes by rank.
func (t *Table) Pids() []int { return slices.Clone(t.pids) }

// Began returns when a rank was started.
func (t *Table) Began(rank int) time.Time { return t.began[rank] }

// Alive returns how many ranks live.
func (t *Table) Alive() int { return len(t.alive) }

// Living are the living ranks, by pid.
func (t *Table) Living() iter.Seq2[int, int] { return maps.All(t.alive) }

// ForgetEarly forgets the ends of unknown processes, before the next process is started.
func (t *Table) ForgetEarly() { clear(t.early) }

// Started notes the process of a rank. If that has ended already it returns its end, for Ended.
func (t *Table) Started(rank, pid int, at time.Time) (e host.Exit, ended bool) {
	t.pids[rank], t.began[rank] = pid, at
	t.alive[pid] = rank
	return t.Early(pid)
}

// Early returns the end of an unknown process.
func (t *Table) Early(pid int) (e host.Exit, ended bool) {
	e, ended = t.early[pid]
	return e, ended
}

// Ended notes the end of a process, and returns its rank. It keeps the end of an unknown process.
func (t *Table) Ended(e host.Exit) (rank int, known bool) {
	if rank, known = t.alive[e.Pid]; !known {
		t.early[e.Pid] = e
	} else if delete(t.alive, e.Pid); e.Pid == t.guest {
		t.guest = 0
	}
	return rank, known
}

// Lost notes that all ranks have ended, and returns those that lived.
func (t *Table) Lost() []int {
	lost := slices.Collect(maps.Values(t.alive))
	clear(t.alive)
	return lost
}

// Guest returns the pid of rank 0 if it runs and is no child; 0: it is one.
func (t *Table) Guest() int { return t.guest }

// Signal sends a signal to all living ranks.
func (t *Table) Signal(sig syscall.Signal) {
	for pid := range t.alive {
		t.SignalOne(pid, sig)
	}
}

// SignalOne sends a signal to a rank: to its process group, or to the guest, which may be in one with others.
func (t *Table) SignalOne(pid int, sig syscall.Signal) {
	if pid != t.guest {
		pid = -pid
	}
	_ = t.kill(pid, sig) // an error: it has just ended
}

// Ending tells whether the end of a rank is no failure any more.
func (t *Table) Ending(rank int) bool { return t.ending[rank] }

// EndWorld has the ranks of a world end, and returns how many live. KillWorld is due after a time of grace.
func (t *Table) EndWorld(w job.World) (others int) {
	for _, rank := range t.Here(w) {
		t.ending[rank] = true
	}
	others = t.signalWorld(w, syscall.SIGTERM)
	t.signalWorld(w, syscall.SIGCONT)
	return others
}

// KillWorld kills the ranks of a world.
func (t *Table) KillWorld(w job.World) { t.signalWorld(w, syscall.SIGKILL) }

// Drop kills the ranks of a world that could not be started as a whole, and returns those that will never be.
func (t *Table) Drop(w job.World) (never []int) {
	for _, rank := range t.Here(w) {
		if !t.ending[rank] && t.pids[rank] == 0 {
			never = append(never, rank)
		}
		t.ending[rank] = true
	}
	t.KillWorld(w)
	return never
}

// signalWorld sends a signal to the living ranks of a world, and returns how many there are.
func (t *Table) signalWorld(w job.World, sig syscall.Signal) (n int) {
	for pid, rank := range t.alive {
		if t.World(rank).Number == w.Number {
			t.SignalOne(pid, sig)
			n++
		}
	}
	return n
}
