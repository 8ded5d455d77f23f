package host

import (
	"fmt"
	"sync"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// StackText is a size of a stack for messages.
func StackText(size uint64) string {
	if size == sys.Unlimited {
		return "unlimited size"
	}
	return fmt.Sprintf("%d KiB", size>>10)
}

// stackLimit is held by WithStack: there is one limit for all threads of this process.
var stackLimit sync.Mutex

// WithStack calls f while size is the limit of stacks of this process, 0: while it is what it is. What f starts has
// the limit from its first instruction on. A child whose limit is set when it runs is too late: at exec the kernel has
// placed other memory no further below the stack than the limit was then.
func WithStack(size uint64, f func() error) error {
	if size == 0 {
		return f()
	}
	stackLimit.Lock()
	defer stackLimit.Unlock()
	before := sys.SoftLimit(sys.RlimitStack)
	if err := sys.SetSoftLimit(sys.RlimitStack, size); err != nil {
		return fmt.Errorf("launcher: job: a stack of %s: %w", StackText(size), err)
	}
	defer func() { _ = sys.SetSoftLimit(sys.RlimitStack, before) }()
	return f()
}
