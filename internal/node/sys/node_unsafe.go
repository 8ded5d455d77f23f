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
	mask, bits := nodeMask(node)
	return underPolicy(unix.MPOL_PREFERRED, mask, bits, f)
}

// Unbalanced calls f on a thread whose pages stay on the node of their first touch, where the kernel permits to choose:
// by default its NUMA balancing moves them to whoever uses them, and looks for them by page faults. Threads and
// processes that f starts are the same.
func Unbalanced(f func() error) error { return underPolicy(unix.MPOL_LOCAL, nil, 0, f) }

// underPolicy calls f on a thread with a memory policy, if the user has not given this process another one.
func underPolicy(mode uintptr, mask []uint64, bits uintptr, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var have int32 // C's int
	_, _, errno := unix.RawSyscall6(unix.SYS_GET_MEMPOLICY, uintptr(unsafe.Pointer(&have)), 0, 0, 0, 0, 0)
	if errno == 0 && (have == unix.MPOL_DEFAULT || have == unix.MPOL_LOCAL) {
		_, _, errno = unix.RawSyscall(unix.SYS_SET_MEMPOLICY, mode,
			uintptr(unsafe.Pointer(unsafe.SliceData(mask))), bits)
		if errno == 0 {
			defer unix.RawSyscall(unix.SYS_SET_MEMPOLICY, uintptr(have), 0, 0)
		}
	}
	return f()
}

// Present tells of each page of [addr, addr+length) whether it is there: bit 0 of a byte of pages, which has one for
// each. addr is that of a page.
func Present(addr, length uintptr, pages []byte) error {
	_, _, errno := unix.RawSyscall(unix.SYS_MINCORE, addr, length, uintptr(unsafe.Pointer(unsafe.SliceData(pages))))
	if errno != 0 { // else a text would be made each time
		return wrap(fmt.Sprintf("mincore of %d bytes at %#x", length, addr), errno)
	}
	return nil
}
