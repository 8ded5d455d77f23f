package processes

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Process is a line of /proc.
type Process struct {
	PID, Parent, Group int
	Name               string // of its first thread: 15 bytes at most
	State              byte   // as proc(5) has it: 'T' is stopped
	Threads            int
	Start              int64 // in clock ticks
	Used               int64 // CPU time, likewise: it grows while a process gives its memory back, until it has ended
}

// Ended tells whether the process has ended, and waits for its parent to take notice. The state is that of
// its first thread, and the parent is told nothing before the last one has gone.
func (p Process) Ended() bool { return (p.State == 'Z' || p.State == 'X') && p.Threads <= 1 }

// All returns all processes that /proc shows.
func All() (list []Process) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := Find(pid); ok {
				list = append(list, p)
			}
		}
	}
	return list
}

// Children returns the children of a process, whichever of its threads is the parent, also
// those that have ended.
func Children(parent int) (list []Process) {
	for _, p := range All() {
		if p.Parent == parent {
			list = append(list, p)
		}
	}
	return list
}

// Find returns a process. ok is false for one that has gone.
func Find(pid int) (p Process, ok bool) {
	stat, err := os.ReadFile(File(pid, "stat"))
	if err != nil {
		return p, false
	}
	p, ok = parse(stat)
	p.PID = pid
	return p, ok
}

// Traced tells whether a debugger, or another tracer, is attached to a process.
func Traced(pid int) bool {
	status, _ := os.ReadFile(File(pid, "status")) // an error: it has gone
	_, rest, found := bytes.Cut(status, []byte("\nTracerPid:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return found && string(bytes.TrimSpace(line)) != "0"
}

// parse reads "pid (name) state parent group ...", of which the CPU time is the 14th and 15th,
// the number of threads the 20th, and the start the 22nd. The name may hold blanks and parentheses, so the last
// parenthesis counts.
func parse(stat []byte) (Process, bool) {
	begin, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	fields := bytes.Fields(stat[end+1:])
	if begin < 0 || end < begin || len(fields) < 20 {
		return Process{}, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	group, groupErr := strconv.Atoi(string(fields[2]))
	threads, threadsErr := strconv.Atoi(string(fields[17]))
	start, startErr := strconv.ParseInt(string(fields[19]), 10, 64)
	name := string(stat[begin+1 : end])
	user, userErr := strconv.ParseInt(string(fields[11]), 10, 64)
	system, systemErr := strconv.ParseInt(string(fields[12]), 10, 64)
	return Process{Name: name, Parent: parent, Group: group, State: fields[0][0], Threads: threads, Start: start,
		Used: user + system}, errors.Join(err, groupErr, threadsErr, startErr, userErr, systemErr) == nil
}

// Args returns the arguments of a process, none for one that has ended.
func Args(pid int) []string {
	line, _ := os.ReadFile(File(pid, "cmdline"))
	if len(line) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
}

// Has tells whether the environment that a process was started with has a setting NAME=VALUE.
func Has(pid int, setting string) bool {
	env, err := os.ReadFile(File(pid, "environ"))
	return err == nil && has(env, setting)
}

// has looks for a setting in strings that each end in 0.
func has(env []byte, setting string) bool {
	return bytes.Contains(append([]byte{0}, env...), []byte("\x00"+setting+"\x00"))
}

// File returns the path of a file of /proc about a process.
func File(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}
