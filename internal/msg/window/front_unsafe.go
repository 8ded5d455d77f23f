package window

import (
	"unsafe"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// The face for C reads a window itself, and does short operations without a call of Go: see cmd/libmpi/window.c. Its
// structures have the fields at the same offsets, and assert that, too. A constant below overflows if one has moved.
// Packages lock and epoch hold theirs likewise.
const (
	_ = -unsafe.Offsetof(Window{}.words)
	_ = -(unsafe.Offsetof(Window{}.targets) ^ 72)
	_ = -(unsafe.Offsetof(Window{}.Handle) ^ 96)
	_ = -(unsafe.Offsetof(Window{}.far) ^ 104)
	_ = -(unsafe.Offsetof(Window{}.ends) ^ 108)
	_ = -(unsafe.Offsetof(Window{}.gone) ^ 112)
	_ = -(unsafe.Offsetof(Window{}.epochs) ^ 120)

	_ = -(unsafe.Offsetof(target{}.bytes) ^ 8)
	_ = -(unsafe.Offsetof(target{}.unit) ^ 16)
	_ = -(unsafe.Offsetof(target{}.pid) ^ 24)
	_ = -(unsafe.Offsetof(target{}.salt) ^ 32)
	_ = -(unsafe.Sizeof(target{}) ^ 40)
)

// memoryAt is memory of this address space, of whatever rank. Its owner keeps it while the window lives.
func memoryAt(addr uintptr, n int) []byte { return sys.Bytes(addr, n) }
