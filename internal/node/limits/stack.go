package limits

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// Stacks in one address space. There the stack of a rank is mapped whole when the rank starts, so all of it
// counts as data, and as committed where the kernel commits memory strictly. A classic process has a stack that
// grows, and counts as it does.

// LeastStack is the size in bytes of the least stack that a rank can have, in either task model. The kernel lets
// arguments and environment take 128 KiB of a stack, however small it is, and the runtime of a Go program without C
// reckons with 64 KiB more.
const LeastStack = 256 << 10

// stackLimit is RLIMIT_STACK.
func stackLimit(from source) Limit {
	return Limit{
		Name: "RLIMIT_STACK", Value: finite(from.soft(sys.RlimitStack)), PerProcess: LeastStack,
		Note: "stack of a rank; unlimited: up to 1 GiB in one address space", Title: "RLIMIT_STACK (ulimit -s)",
		Fix: fmt.Sprintf("raise it with ulimit -s %d or --stack-size %[1]dK", LeastStack>>10),
	}
}

// withStack is the source for a job that sets RLIMIT_STACK for its ranks.
func (s source) withStack(size uint64) source {
	soft := s.soft
	s.soft = func(resource int) uint64 {
		if resource == sys.RlimitStack {
			return size
		}
		return soft(resource)
	}
	return s
}

// stackOf is the size of a rank's stack. Without a limit it is chosen so that the other limits allow it.
func stackOf(from source) uint64 {
	if v := finite(from.soft(sys.RlimitStack)); v != nil {
		return min(*v, 1<<47) // no more has room anywhere
	}
	return UsualStack
}

// moreStack is what a stack has more than the usual one.
func moreStack(size uint64) uint64 { return max(size, UsualStack) - UsualStack }

// fixStack is what else helps where large stacks are why a limit is too low.
func fixStack(fix string, size uint64) string {
	if moreStack(size) > 0 {
		return fix + ", or take a smaller stack (--stack-size, ulimit -s)"
	}
	return fix
}

// dataLimit is RLIMIT_DATA for ranks with stacks of size bytes.
func dataLimit(from source, stack uint64) Limit {
	return Limit{
		Name: "RLIMIT_DATA", Value: finite(from.soft(sys.RlimitData)), Used: dataPerProcess,
		PerRank:  dataPerRank + moreStack(stack),
		OneSpace: true, PerProcess: dataPerProcess, Title: "RLIMIT_DATA (ulimit -d)",
		Fix: fixStack("raise it with ulimit -d unlimited, or use --btl sm", stack),
	}
}

// stackCommitLimit is commitLimit for one address space. It says nothing more unless stacks are large.
func stackCommitLimit(root fs.FS, stack uint64) Limit {
	l := commitLimit(root)
	l.PerRank += moreStack(stack)
	l.OneSpace, l.Fix = true, fixStack(l.Fix+", or use --btl sm", stack)
	if moreStack(stack) == 0 {
		l.Value = nil
	}
	return l
}

// Stacks returns an *Error if so many ranks in one address space cannot have stacks of size bytes and three
// times that for other memory.
func Stacks(ranks int, size uint64) error {
	list := []Limit{dataLimit(here(), 4*size), stackCommitLimit(os.DirFS("/"), 4*size)}
	for i := range list {
		list[i].setRanks()
	}
	return check(list, ranks, func(*Limit) bool { return true })
}
