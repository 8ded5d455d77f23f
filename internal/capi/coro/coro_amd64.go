package coro

// resume serves calls until the dispatcher returns true.
//
//lint:ignore U1000 Switch hands its address to C
func resume(ctx uintptr)
