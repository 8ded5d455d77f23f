package pvas

import (
	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// The stack of a task has the size that RLIMIT_STACK says: C libraries read the same limit to learn how far the
// stack of their main thread reaches. Its addresses are reserved, and memory is taken as the task uses it.
// Without a limit it is as large as unlimitedStack, or less where partitions or limits are small: then the areas
// around it bound what C libraries find.
// Create refuses a limit below limits.LeastStack.
const unlimitedStack = 1 << 30

// limitedStack is the size that RLIMIT_STACK says, or ok false if it does not limit.
func limitedStack() (size uint64, ok bool) {
	limit := sys.SoftLimit(sys.RlimitStack)
	if limit == sys.Unlimited {
		return 0, false
	}
	return here.pageUp(min(limit, mostReserved())), true
}

// holdsStack tells whether a partition has room for a stack. Room for a program is looked for when it is known.
func holdsStack(partition uint64) bool {
	size, ok := limitedStack()
	return !ok || alignUp(guardSize+size, tableSpan)+stackShare < partition
}

// stackSize is the size of a stack in this space.
func (s *Space) stackSize() uint64 {
	size, ok := limitedStack()
	if ok {
		return size
	}
	size = unlimitedStack
	for size > limits.UsualStack && (size > s.size/4 || limits.Stacks(s.tasks, size) != nil) {
		size /= 2
	}
	return size
}
