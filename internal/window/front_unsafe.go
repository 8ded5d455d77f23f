package window

import "unsafe"

// The face for C reads a window itself, and does short operations without a call of Go: see cmd/libmpi/window.c. Its
// structures have the fields at the same offsets, and assert that, too. A constant below overflows if one has moved.
const (
	_ = -unsafe.Offsetof(Window{}.head)
	_ = -(unsafe.Offsetof(Window{}.records) ^ 8)
	_ = -(unsafe.Offsetof(Window{}.stripes) ^ 32)
	_ = -(unsafe.Offsetof(Window{}.targets) ^ 56)
	_ = -(unsafe.Offsetof(Window{}.marks) ^ 80)
	_ = -(unsafe.Offsetof(Window{}.Handle) ^ 88)
	_ = -(unsafe.Offsetof(Window{}.me) ^ 96)
	_ = -(unsafe.Offsetof(Window{}.locks) ^ 104)
	_ = -(unsafe.Offsetof(Window{}.access) ^ 112)
	_ = -(unsafe.Offsetof(Window{}.far) ^ 116)

	_ = -(unsafe.Offsetof(target{}.bytes) ^ 8)
	_ = -(unsafe.Offsetof(target{}.unit) ^ 16)
	_ = -(unsafe.Offsetof(target{}.pid) ^ 24)
	_ = -(unsafe.Offsetof(target{}.salt) ^ 32)
	_ = -(unsafe.Sizeof(target{}) ^ 40)

	_ = -(unsafe.Offsetof(head{}.sleepers) ^ cacheLine)
	_ = -(unsafe.Offsetof(record{}.held) ^ cacheLine)
	_ = -(unsafe.Offsetof(stripe{}.singles) ^ cacheLine)
)
