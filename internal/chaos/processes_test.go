package chaos

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A process is a line of /proc.
type process struct {
	pid, parent int
	zombie      bool
	start       int // in clock ticks
}

// processes returns all that there are, the oldest first: numbers begin again at 1.
func processes() []process {
	names, _ := filepath.Glob("/proc/[0-9]*")
	var list []process
	for _, name := range names {
		if p, ok := readProcess(name); ok {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b process) int { return cmp.Or(a.start-b.start, a.pid-b.pid) })
	return list
}

// readProcess reads "pid (name) state parent ...", of which the start is the 22nd; names may
// hold anything.
func readProcess(dir string) (process, bool) {
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return process{}, false
	}
	pid, err := strconv.Atoi(filepath.Base(dir))
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if err != nil || len(fields) < 20 {
		return process{}, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	start, startErr := strconv.Atoi(string(fields[19]))
	zombie := string(fields[0]) == "Z" || string(fields[0]) == "X"
	return process{pid, parent, zombie, start}, err == nil && startErr == nil
}

// children returns the children of a process.
func children(parent int) (list []process) {
	for _, p := range processes() {
		if p.parent == parent {
			list = append(list, p)
		}
	}
	return list
}

// Names that this executable's processes have as argv[0], see package launcher.
const (
	hostName  = "pvasrun-host"
	guardName = "pvasrun-guard"
)

// hostAndRanks tells the children of pvasrun apart. In one address space ranks show
// the command line of the host, which is older. Ranks lead their process group;
// orphans of theirs, which are children of pvasrun too, do not.
func hostAndRanks(pvasrun int) (host int, ranks []int) {
	guard, own := 0, argv0(pvasrun)
	for _, p := range children(pvasrun) {
		name := argv0(p.pid)
		switch {
		case p.zombie, name == "": // in the middle of execve nothing tells who it will be
		case name == guardName:
			guard = p.pid
		case host == 0 && name == hostName:
			host = p.pid
		case name == own && (host == 0 || guard == 0): // will be one of them
		case leads(p.pid):
			ranks = append(ranks, p.pid)
		}
	}
	return host, ranks
}

func argv0(pid int) string {
	line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	name, _, _ := strings.Cut(string(line), "\x00")
	return name
}

// leads reports whether a process leads its group.
func leads(pid int) bool {
	group, err := syscall.Getpgid(pid)
	return err == nil && group == pid
}

// marked returns the processes with a setting in their environment that live.
func marked(setting string) (pids []int) {
	for _, p := range processes() {
		env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.pid), "environ"))
		if err == nil && !p.zombie && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+setting+"\x00")) {
			pids = append(pids, p.pid)
		}
	}
	return pids
}
