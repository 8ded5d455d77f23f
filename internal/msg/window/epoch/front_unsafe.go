package epoch

import "unsafe"

// cmd/libmpi/window.c has these offsets. A constant below overflows if a field has moved.
const (
	_ = -unsafe.Offsetof(State{}.access)
	_ = -(unsafe.Offsetof(State{}.locks) ^ 4)
	_ = -(unsafe.Offsetof(State{}.marks) ^ 8)
)
