package chaos

import (
	"cmp"
	"slices"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/processes"
)

// Names that this executable's processes have as argv[0], see package launcher.
const (
	hostName  = "pvasrun-host"
	guardName = "pvasrun-guard"
)

// hostAndRanks tells the children of pvasrun apart. In one address space the host shows the command line of the ranks,
// which have its name when they begin, but are younger. Ranks lead their process group; orphans of theirs, which are
// children of pvasrun too, do not.
func hostAndRanks(pvasrun int) (host int, ranks []int) {
	guard, own := 0, argv0(pvasrun)
	children := processes.Children(pvasrun)
	slices.SortFunc(children, func(a, b processes.Process) int { // numbers begin again at 1
		return cmp.Or(cmp.Compare(a.Start, b.Start), a.PID-b.PID)
	})
	for _, p := range children {
		name := argv0(p.PID)
		if p.Name == hostName {
			name = hostName
		}
		switch {
		case p.Ended(), name == "": // in the middle of execve nothing tells who it will be
		case name == guardName:
			guard = p.PID
		case host == 0 && name == hostName:
			host = p.PID
		case name == own && (host == 0 || guard == 0): // will be one of them
		case leads(p.PID):
			ranks = append(ranks, p.PID)
		}
	}
	return host, ranks
}

func argv0(pid int) string {
	if args := processes.Args(pid); len(args) > 0 {
		return args[0]
	}
	return ""
}

// leads reports whether a process leads its group.
func leads(pid int) bool {
	group, err := syscall.Getpgid(pid)
	return err == nil && group == pid
}

// marked returns the processes with a setting in their environment that live.
func marked(setting string) (pids []int) {
	for _, p := range processes.All() {
		if !p.Ended() && processes.Has(p.PID, setting) {
			pids = append(pids, p.PID)
		}
	}
	return pids
}
