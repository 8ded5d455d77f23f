//go:build !arm64

package window

import "sync/atomic"

var ordered atomic.Uint32

// barrier orders all loads and stores of the calling thread before it before those after it, plain ones too.
func barrier() { ordered.Add(0) }
