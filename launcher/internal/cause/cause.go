package cause

import (
	"fmt"
	"os"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/limits"
)

// A Finder knows the control groups of this process, as they were when the job began.
type Finder struct {
	groups []limits.MemoryGroup
}

// NewFinder returns the finder of a job that begins.
func NewFinder() *Finder { return &Finder{limits.MemoryGroups(os.DirFS("/"))} }

// OfKill names the control group whose memory has run out, if that may be why a process was killed; "": it is not.
func (f *Finder) OfKill(status syscall.WaitStatus) string {
	if status.Signal() != syscall.SIGKILL {
		return ""
	}
	group := limits.OutOfMemory(os.DirFS("/"), f.groups)
	if group == nil {
		return ""
	}
	return fmt.Sprintf("the kernel kills for want of memory: the control group %v: raise it, or start fewer ranks",
		group)
}

// InSpace names the limit that all ranks of an address space share, if it may be why the first of them has failed:
// programs say "out of memory" then, or crash. host is the pid of its space host.
func InSpace(host int) string {
	if limit := limits.AreasTaken(host); limit != nil {
		return fmt.Sprintf("the address space is full: %v", limit)
	}
	return ""
}
