//go:build amd64 || arm64

package sys

// Yield lets other threads run on this CPU, and keeps the Go scheduler out of it. It is no RawSyscall, which is four
// functions: after a switch of threads the processor mispredicts each return, and they took a twentieth of the switch.
func Yield()
