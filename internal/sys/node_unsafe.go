package sys

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nodeMask is a mask of NUMA nodes with one of them in it. The kernel takes its length in bits, plus one.
func nodeMask(node int) (mask []uint64, length uintptr) {
	mask = make([]uint64, node/wordBits+1)
	mask[node/wordBits] |= 1 << (node % wordBits)
	return mask, uintptr(len(mask)*wordBits + 1)
}

// MemoryOn has pages of [addr, addr+length) come from a NUMA node, where it has room, whoever touches them first. Pages
// that are there stay. The range is mapped throughout. If it is shared the file keeps that, for all that map it.
func MemoryOn(addr, length uintptr, node int) error {
	mask, bits := nodeMask(node)
	_, _, errno := unix.Syscall6(unix.SYS_MBIND, addr, length, unix.MPOL_PREFERRED,
		uintptr(unsafe.Pointer(unsafe.SliceData(mask))), bits, 0)
	return wrap(fmt.Sprintf("mbind of %d bytes at %#x to node %d", length, addr, node), errno)
}

// PageNodes returns the NUMA node of each page of a process; below 0 for one that is not there.
func PageNodes(pid int, pages []uintptr) ([]int, error) {
	if len(pages) == 0 {
		return nil, nil
	}
	status := make([]int32, len(pages))
	_, _, errno := unix.Syscall6(unix.SYS_MOVE_PAGES, uintptr(pid), uintptr(len(pages)),
		uintptr(unsafe.Pointer(unsafe.SliceData(pages))), 0, uintptr(unsafe.Pointer(unsafe.SliceData(status))), 0)
	if errno != 0 {
		return nil, wrap(fmt.Sprintf("move_pages of process %d", pid), errno)
	}
	nodes := make([]int, len(pages))
	for i, s := range status {
		nodes[i] = int(s)
	}
	return nodes, nil
}

// TouchingOn calls f on a thread whose first touches take pages of a NUMA node, where it has room and the kernel
// permits to choose. Threads and processes that f starts do so, too.
func TouchingOn(node int, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mask, bits := nodeMask(node)
	_, _, errno := unix.RawSyscall(unix.SYS_SET_MEMPOLICY, unix.MPOL_PREFERRED,
		uintptr(unsafe.Pointer(unsafe.SliceData(mask))), bits)
	if errno == 0 {
		defer unix.RawSyscall(unix.SYS_SET_MEMPOLICY, unix.MPOL_DEFAULT, 0, 0)
	}
	return f()
}
