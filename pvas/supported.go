//go:build amd64 || arm64

package pvas

import (
	"fmt"
	"sync"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// Supported reports in one sentence why tasks cannot share an address space
// here, or nil. It tries the calls, and concludes nothing from versions.
func Supported() error { return supported() }

// supportsSiblings tells whether tasks can be children of this process's parent.
func supportsSiblings() error {
	if err := probeClone(true); err != nil {
		return fmt.Errorf("pvas: %w: clone(CLONE_PARENT) does not work (a filter of system calls?): %w", ErrUnsupported,
			err)
	}
	return nil
}

var supported = sync.OnceValue(func() error {
	if err := sys.ProbeCloseRange(); err != nil {
		return fmt.Errorf("pvas: %w: close_range does not work (Linux 5.9 or newer, not filtered): %w", ErrUnsupported,
			err)
	}
	if err := probeClone(false); err != nil {
		return fmt.Errorf("pvas: %w: clone(CLONE_VM|CLONE_PIDFD) does not work (Linux 5.2 or newer, not filtered): %w",
			ErrUnsupported, err)
	}
	return nil
})
