package launcher

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/sys"
)

// leastStack is the size of the least stack that can be chosen.
const leastStack = 256 << 10

// CheckStackSize tells whether Job.StackSize can be asked for: nil if it can.
func CheckStackSize(size uint64) error {
	if size > 0 && size < leastStack {
		return fmt.Errorf("launcher: job: a stack of %d bytes is too small: take 256 KiB or more", size)
	}
	return nil
}

// stackText is a size of a stack for messages.
func stackText(size uint64) string {
	if size == sys.Unlimited {
		return "unlimited size"
	}
	return fmt.Sprintf("%d KiB", size>>10)
}

// limitStack makes the size of stacks the limit of this process, from which the space host and the ranks have it.
// restore puts the limit back that there was.
func (j *Job) limitStack() (restore func(), err error) {
	before := sys.SoftLimit(sys.RlimitStack)
	if j.StackSize == 0 || j.StackSize == before {
		return func() {}, nil
	}
	if err := sys.SetSoftLimit(sys.RlimitStack, j.StackSize); err != nil {
		return nil, fmt.Errorf("launcher: job: a stack of %s: %w", stackText(j.StackSize), err)
	}
	return func() { _ = sys.SetSoftLimit(sys.RlimitStack, before) }, nil
}

// stackOnNodes is what the leader asks of the nodes: what was chosen, or else its own limit.
func (j *Job) stackOnNodes() stackSpec {
	if j.StackSize != 0 {
		return stackSpec{Size: j.StackSize, Chosen: true}
	}
	return stackSpec{Size: sys.SoftLimit(sys.RlimitStack)}
}

// stackSpec is the size of stacks as the leader sends it.
type stackSpec struct {
	Size   uint64
	Chosen bool // the user has named it: a node that cannot have it refuses. Else it takes what it can
}

// here is Job.StackSize for this node.
func (s stackSpec) here() uint64 {
	hard := sys.HardLimit(sys.RlimitStack)
	switch {
	case s.Chosen:
		return s.Size
	case hard < leastStack:
		return 0 // its own
	}
	return max(min(s.Size, hard), leastStack)
}
