package limits

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// A MemoryGroup is a control group that limits the memory of this process.
type MemoryGroup struct {
	Dir   string // where it shows in the file system
	Limit uint64 // in bytes
	kills uint64 // processes that the kernel has killed in it
}

func (g *MemoryGroup) String() string {
	return fmt.Sprintf("%s has a limit of %d MiB", g.Dir, g.Limit>>20)
}

// unlimited is more than any machine has; version 1 says "no limit" by such a number.
const unlimited = 1 << 60

// MemoryGroups are the control groups of this process that limit memory, the innermost first. One that cannot be read
// is left out.
func MemoryGroups(root fs.FS) (all []MemoryGroup) {
	groups, _ := fs.ReadFile(root, "proc/self/cgroup") // an error: there are none
	mounts, _ := fs.ReadFile(root, "proc/self/mountinfo")
	for _, g := range groupFolders(string(groups), string(mounts), "memory") {
		for dir := g.dir; ; dir = path.Dir(dir) {
			if group, ok := readMemoryGroup(root, dir); ok {
				all = append(all, group)
			}
			if dir == g.top || dir == "." || dir == "/" {
				break
			}
		}
	}
	return all
}

// OutOfMemory returns the innermost group in which the kernel has killed a process since the groups were read; nil:
// there is none.
func OutOfMemory(root fs.FS, before []MemoryGroup) *MemoryGroup {
	for _, was := range before {
		if now, ok := readMemoryGroup(root, was.Dir); ok && now.kills > was.kills {
			return &now
		}
	}
	return nil
}

// readMemoryGroup reads a group; ok is false if it has no limit.
func readMemoryGroup(root fs.FS, dir string) (g MemoryGroup, ok bool) {
	at := strings.TrimPrefix(dir, "/")
	for _, version := range []struct{ limit, events string }{
		{"memory.max", "memory.events"}, {"memory.limit_in_bytes", "memory.oom_control"},
	} {
		limit, err := readUint(root, path.Join(at, version.limit)) // an error: it says max, or is not there
		if err != nil || limit >= unlimited {
			continue
		}
		text, err := fs.ReadFile(root, path.Join(at, version.events))
		if err != nil {
			continue
		}
		g := MemoryGroup{Dir: dir, Limit: limit}
		for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
			if n, found := strings.CutPrefix(lines.Text(), "oom_kill "); found {
				g.kills, _ = parseUint(n) // an error: 0
			}
		}
		return g, true
	}
	return MemoryGroup{}, false
}
