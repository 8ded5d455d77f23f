package launcher

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/node/limits"
)

// CheckStackSize tells whether Job.StackSize can be asked for: nil if it can.
func CheckStackSize(size uint64) error {
	if size > 0 && size < limits.LeastStack {
		return fmt.Errorf("launcher: job: a stack of %d bytes is too small: take %d KiB or more",
			size, limits.LeastStack>>10)
	}
	return nil
}
