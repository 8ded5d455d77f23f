package testkit

import (
	"runtime"
	"syscall"
	"unsafe"
)

// clone3 has one number on all machines.
const clone3 = 435

// areaCalls change the areas of an address space, so they hold its lock for writing.
var areaCalls = []uint32{syscall.SYS_MMAP, syscall.SYS_MUNMAP, syscall.SYS_MPROTECT, syscall.SYS_MADVISE,
	syscall.SYS_MREMAP, syscall.SYS_BRK, syscall.SYS_CLONE, clone3}

// traceAreaCalls has this thread, and what it executes, stop for the tracer before each of areaCalls, and at no other.
func traceAreaCalls() error {
	const (
		loadNumber, jumpEqual, answer = 0x20, 0x15, 0x06 // of the machine that filters: LD W ABS, JMP JEQ K, RET K

		allow, trace           = 0x7fff0000, 0x7ff00000 // SECCOMP_RET
		noNewPrivs, setSeccomp = 38, 22                 // PR_SET
		filterMode             = 2
	)
	type instruction struct {
		code     uint16
		jt, jf   uint8
		constant uint32
	}
	program := []instruction{{code: loadNumber}}
	for i, number := range areaCalls {
		program = append(program, instruction{jumpEqual, uint8(len(areaCalls) - i), 0, number})
	}
	program = append(program, instruction{answer, 0, 0, allow}, instruction{answer, 0, 0, trace})
	filter := struct {
		length  uint16
		program *instruction
	}{uint16(len(program)), unsafe.SliceData(program)}
	runtime.LockOSThread()
	for _, args := range [][3]uintptr{{noNewPrivs, 1}, {setSeccomp, filterMode, uintptr(unsafe.Pointer(&filter))}} {
		if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, args[0], args[1], args[2], 0, 0, 0); errno != 0 {
			return errno
		}
	}
	runtime.KeepAlive(program)
	return nil
}
