//go:build !amd64 && !arm64

package coro

// Supported tells whether this machine has Serve.
const Supported = false

// Switch does not exist here.
func Switch(uintptr) { panic("coro: switch: not supported on this machine; ask Supported first") }

// Serve does not exist here.
func Serve(ctx uintptr, _ func(ctx uintptr) (stop bool)) { Switch(ctx) }

// Room does nothing.
func Room() {}

// Guard returns 0: there is nothing to withdraw.
func Guard() uintptr { return 0 }

func currentG() uintptr { return 0 }
