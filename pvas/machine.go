package pvas

import (
	"debug/elf"
	"os"
	"runtime"
)

// A machine is what the loader knows of a kind of processor and of the kernel's pages on it.
type machine struct {
	elf      elf.Machine
	relative uint32 // type of the relocation that adds the bias to a word
	platform string // AT_PLATFORM
	bits     int    // of an address that programs have, at most
	page     uint64 // bytes
}

// machines are those that can hold tasks. Five levels of page tables, or 52 bits on arm64, give addresses above these
// bits. The kernel gives those to programs alone that ask for them; the Go runtime takes none.
var machines = map[string]machine{
	"amd64": {elf: elf.EM_X86_64, relative: uint32(elf.R_X86_64_RELATIVE), platform: "x86_64", bits: 47},
	"arm64": {elf: elf.EM_AARCH64, relative: uint32(elf.R_AARCH64_RELATIVE), platform: "aarch64", bits: 48},
}

// here is this machine. One that is not among machines refuses all programs.
var here = func() machine {
	m := machines[runtime.GOARCH]
	m.page = uint64(os.Getpagesize())
	return m
}()

// leastPage is the smallest page that a kernel has, and that a program can be linked for.
const leastPage = 4 << 10

func (m *machine) pageDown(a uint64) uint64 { return a &^ (m.page - 1) }
func (m *machine) pageUp(a uint64) uint64   { return (a + m.page - 1) &^ (m.page - 1) }

func alignUp(a, to uint64) uint64 {
	return (a + to - 1) &^ (to - 1)
}
