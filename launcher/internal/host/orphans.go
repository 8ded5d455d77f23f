package host

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// A process whose parent, a rank, has ended becomes a child of the supervisor, which
// is a "child subreaper" while a job runs. The supervisor reaps it when it ends,
// and kills it at the end of the job.

// An Adoption makes this process the one that orphans of the job fall to.
type Adoption struct {
	was    bool
	before map[int]bool // children it had already: not ours to kill
	known  map[int]bool // children that have not been reaped, and end with the job: the host and the guard
	killed int          // how many of them KillAll has killed, and not found ended
}

// Knows tells of a child that has not been reaped, and ends with the job. KillAll then need not look for it in /proc,
// which is as long as the node has processes: many thousands where it has many cores.
func (a *Adoption) Knows(pid int) { a.known[pid] = true }

// Adopt begins to adopt orphans.
func Adopt() (*Adoption, error) {
	was, err := sys.ChildSubreaper()
	if err != nil {
		return nil, fmt.Errorf("launcher: adopt orphans: %w", err)
	}
	if err := sys.SetChildSubreaper(true); err != nil {
		return nil, fmt.Errorf("launcher: adopt orphans: %w", err)
	}
	a := &Adoption{was: was, before: map[int]bool{}, known: map[int]bool{}}
	for _, pid := range a.children() {
		a.before[pid] = true
	}
	return a, nil
}

// NextExit reaps a child that has ended, if there is one; else the pid is 0. The
// error is ECHILD where this process has no child but those it had before. It calls reaping before it
// reaps the child: the pid is the child's until reaping returns.
func (a *Adoption) NextExit(reaping func(pid int)) (Exit, error) {
	for {
		pid, err := a.nextEnded()
		if pid == 0 || err != nil {
			return Exit{}, err
		}
		reaping(pid)
		delete(a.known, pid)
		got, status, used, err := sys.Reap(pid)
		if !errors.Is(err, syscall.ECHILD) { // else another goroutine of this process has just reaped it
			return Exit{got, status, used}, err
		}
	}
}

// nextEnded returns the pid of a child that NextExit can reap, 0 if none has ended.
func (a *Adoption) nextEnded() (int, error) {
	if len(a.before) == 0 {
		return sys.Ended(-1)
	}
	pids := a.children()
	for _, pid := range pids {
		if got, err := sys.Ended(pid); err == nil && got != 0 {
			return got, nil
		}
	}
	if len(pids) == 0 {
		return 0, syscall.ECHILD
	}
	return 0, nil
}

// children are those that this process has got since adopt, also those that have
// ended and not been reaped. Most often there are none, and the kernel says so at once.
func (a *Adoption) children() []int {
	if _, err := sys.Ended(-1); errors.Is(err, syscall.ECHILD) {
		return nil
	}
	return slices.DeleteFunc(Children(os.Getpid()), func(pid int) bool { return a.before[pid] })
}

// KillAll kills children and returns their pids: those it knows as long as some of them have ended since it was last
// called, then all. Another goroutine of this process may have reaped a known child, and a stranger may have its pid.
// So it skips a pid that the kernel does not have as a child.
func (a *Adoption) KillAll() []int {
	pids := slices.DeleteFunc(slices.Collect(maps.Keys(a.known)), func(pid int) bool {
		_, err := sys.Ended(pid)
		return err != nil
	})
	before := a.killed
	if a.killed = len(pids); a.killed == 0 || a.killed == before {
		pids = a.children()
	}
	for _, pid := range pids {
		sys.Kill(pid, syscall.SIGKILL)
	}
	return pids
}

// Left is what is left of processes that were killed.
type Left struct {
	Processes int
	Used      int64 // CPU time of those processes
}

// Less tells whether processes have come nearer to their ends since another look: some have ended, or they have used
// CPU time. One that was killed uses it to give its memory back, which takes seconds where that is large. Its memory
// cannot be asked for: that belongs to no process any more.
func (l Left) Less(before Left) bool { return l.Processes < before.Processes || l.Used > before.Used }

// Left looks at the children that there are.
func (a *Adoption) Left() (l Left) {
	for _, pid := range a.children() {
		if p, ok := processes.Find(pid); ok {
			l.Processes, l.Used = l.Processes+1, l.Used+p.Used
		}
	}
	return l
}

// End stops adopting.
func (a *Adoption) End() {
	if !a.was {
		sys.SetChildSubreaper(false)
	}
}

// Children returns the pids of the children of a process.
func Children(parent int) (pids []int) {
	for _, p := range processes.Children(parent) {
		pids = append(pids, p.PID)
	}
	return pids
}

// killMarked kills every other process that carries the name of the job in its
// environment, in whatever group or session it is. It serves where nobody has
// adopted orphans: when the supervisor itself was killed.
func killMarked(id string) {
	// Bounds the rounds of killing processes that appear while others are killed.
	const maxSweeps = 100
	for range maxSweeps {
		found := false
		for _, p := range processes.All() {
			if p.PID != os.Getpid() && processes.Has(p.PID, EnvID+"="+id) && sys.Kill(p.PID, syscall.SIGKILL) == nil {
				found = true
			}
		}
		if !found {
			return
		}
	}
}
