package launcher

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/gopvas/gopvas/internal/sys"
)

// What ranks start and do not wait for becomes a child of the supervisor, which
// is a "child subreaper" while a job runs, and dies with the job. One that ends
// before stays a zombie until then.

// maxSweeps bounds the rounds of killing what appears while others are killed.
const maxSweeps = 100

// An adoption makes this process the one that orphans of the job fall to.
type adoption struct {
	was    bool
	before map[int]bool // children it had already: not ours to kill
}

// adopt begins to adopt orphans.
func adopt() (*adoption, error) {
	was, err := sys.ChildSubreaper()
	if err != nil {
		return nil, fmt.Errorf("launcher: adopt orphans: %w", err)
	}
	if err := sys.SetChildSubreaper(true); err != nil {
		return nil, fmt.Errorf("launcher: adopt orphans: %w", err)
	}
	a := &adoption{was: was, before: map[int]bool{}}
	for _, pid := range children(os.Getpid()) {
		a.before[pid] = true
	}
	return a, nil
}

// kill kills every child this process has got since adopt, and returns their
// pids.
func (a *adoption) kill() []int {
	var killed []int
	for _, pid := range children(os.Getpid()) {
		if !a.before[pid] {
			sys.Kill(pid, syscall.SIGKILL)
			killed = append(killed, pid)
		}
	}
	return killed
}

// end kills and reaps every process that was adopted. Killing one hands over its
// own children, so it goes on until there are none.
func (a *adoption) end() {
	for range maxSweeps {
		pids := a.kill()
		if len(pids) == 0 {
			break
		}
		for _, pid := range pids {
			sys.WaitPid(pid)
		}
	}
	if !a.was {
		sys.SetChildSubreaper(false)
	}
}

// children returns the pids of the children of a process, whichever of its
// threads is the parent.
func children(parent int) []int {
	var pids []int
	for _, pid := range processes() {
		if parentOf(pid) == parent {
			pids = append(pids, pid)
		}
	}
	return pids
}

// processes returns the pids of all processes that /proc shows.
func processes() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// parentOf returns the parent of a process, 0 for one that has gone.
func parentOf(pid int) int {
	stat, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return 0
	}
	return parseParent(stat)
}

// parseParent finds the parent in a stat line "pid (comm) state ppid ...". The
// name may hold blanks and parentheses, so the last parenthesis counts.
func parseParent(stat []byte) int {
	_, rest, ok := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	if !ok {
		return 0
	}
	fields := bytes.Fields(rest)
	if len(fields) < 2 {
		return 0
	}
	ppid, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0
	}
	return ppid
}

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}

// killMarked kills every process that carries the name of the job in its
// environment, in whatever group or session it is. It serves where nobody has
// adopted orphans: when the supervisor itself was killed.
func killMarked(id string) {
	mark := []byte(EnvID + "=" + id + "\x00")
	for range maxSweeps {
		found := false
		for _, pid := range processes() {
			env, err := os.ReadFile(procFile(pid, "environ"))
			if err == nil && hasMark(env, mark) && sys.Kill(pid, syscall.SIGKILL) == nil {
				found = true
			}
		}
		if !found {
			return
		}
	}
}

// hasMark looks for a setting in an environment of strings that each end in 0.
func hasMark(env, mark []byte) bool {
	return bytes.HasPrefix(env, mark) || bytes.Contains(env, append([]byte{0}, mark...))
}
