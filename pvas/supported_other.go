//go:build !amd64 && !arm64

package pvas

import (
	"fmt"
	"runtime"
)

// Supported reports in one sentence why tasks cannot share an address space
// here: the loader is written for amd64 and arm64. Jobs run with --btl sm.
func Supported() error {
	return fmt.Errorf("pvas: %w: %s machines are not yet supported, use --btl sm", ErrUnsupported, runtime.GOARCH)
}

func supportsSiblings() error { return Supported() }

// The task model compiles everywhere; Create refuses before any of this runs.
type step struct{ what string }

func scriptFor(*TaskSpec, [3]int) []step { return nil }

func runScript(_ uintptr, _, _, _ uint64, _ []step) (childIDs, int, error) {
	return childIDs{}, -1, ErrUnsupported
}
