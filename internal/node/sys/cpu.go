package sys

import "golang.org/x/sys/cpu"

// HasAVX2 tells whether this processor, an x86-64, has vectors of 32 bytes, and the system
// keeps them.
func HasAVX2() bool { return cpu.X86.HasAVX2 }
