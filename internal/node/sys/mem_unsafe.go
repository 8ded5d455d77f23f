package sys

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Protection and mapping flags of Mmap, Mprotect and Madvise.
const (
	ProtNone  = unix.PROT_NONE
	ProtRead  = unix.PROT_READ
	ProtWrite = unix.PROT_WRITE
	ProtExec  = unix.PROT_EXEC

	MapShared         = unix.MAP_SHARED
	MapPrivate        = unix.MAP_PRIVATE
	MapAnonymous      = unix.MAP_ANONYMOUS
	MapFixed          = unix.MAP_FIXED
	MapFixedNoReplace = unix.MAP_FIXED_NOREPLACE
	MapNoReserve      = unix.MAP_NORESERVE

	MadvHugePage   = unix.MADV_HUGEPAGE
	MadvNoHugePage = unix.MADV_NOHUGEPAGE
	MadvDontFork   = unix.MADV_DONTFORK
	MadvDontDump   = unix.MADV_DONTDUMP
	MadvDontNeed   = unix.MADV_DONTNEED
	MadvPopulate   = unix.MADV_POPULATE_WRITE // since Linux 5.14
)

// Mmap maps length bytes at addr, or where the kernel likes when addr is 0, and
// returns the address. fd is -1 for anonymous memory. The memory is not known
// to the garbage collector.
func Mmap(addr, length uintptr, prot, flags, fd int, offset int64) (uintptr, error) {
	p, _, errno := unix.Syscall6(unix.SYS_MMAP, addr, length, uintptr(prot), uintptr(flags),
		uintptr(fd), uintptr(offset))
	if errno != 0 {
		return 0, fmt.Errorf("mmap of %d bytes at %#x: %w", length, addr, errno)
	}
	return p, nil
}

// Remap maps zeros at [addr, addr+length), for reading and writing, in the place of what this process has there.
func Remap(addr, length uintptr) error {
	_, err := Mmap(addr, length, ProtRead|ProtWrite, MapPrivate|MapAnonymous|MapNoReserve|MapFixed, -1, 0)
	return err
}

// Munmap removes every mapping in [addr, addr+length).
func Munmap(addr, length uintptr) error {
	_, _, errno := unix.Syscall(unix.SYS_MUNMAP, addr, length, 0)
	return wrap(fmt.Sprintf("munmap of %d bytes at %#x", length, addr), errno)
}

// Mprotect changes the access rights of [addr, addr+length).
func Mprotect(addr, length uintptr, prot int) error {
	_, _, errno := unix.Syscall(unix.SYS_MPROTECT, addr, length, uintptr(prot))
	return wrap(fmt.Sprintf("mprotect of %d bytes at %#x", length, addr), errno)
}

// Madvise advises the kernel about [addr, addr+length).
func Madvise(addr, length uintptr, advice int) error {
	_, _, errno := unix.Syscall(unix.SYS_MADVISE, addr, length, uintptr(advice))
	return wrap(fmt.Sprintf("madvise of %d bytes at %#x", length, addr), errno)
}

// Bytes views n bytes of mapped memory at addr.
//
// Preconditions: the range is mapped and stays mapped as long as the slice is
// used, and no Go object lies in it.
func Bytes(addr uintptr, n int) []byte {
	// The address comes from the kernel, not from a Go object, so the usual
	// worry about uintptr (the object moving or being freed) does not apply.
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), n)
}

// AddrOf returns where the memory of b begins; 0 if b is nil.
// The caller keeps b alive while the number is in use.
func AddrOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// Populate asks the kernel to make the pages of n bytes now, and not one by one as they are touched. Where it
// cannot, nothing happens.
func Populate(addr uintptr, n int) {
	first := addr &^ uintptr(os.Getpagesize()-1)
	_ = Madvise(first, addr+uintptr(n)-first, MadvPopulate)
}

// HeapAddr is AddrOf for memory that is used by its address later, or by others: 0 if b is
// empty. The memory must not lie on a goroutine's stack, which moves when it grows: the
// assignment, which is never made, has the compiler put it on the heap.
func HeapAddr(b []byte) uintptr {
	p := unsafe.Pointer(unsafe.SliceData(b))
	if escaped != nil { // never
		escaped = p
	}
	if len(b) == 0 {
		return 0
	}
	return uintptr(p)
}

// escaped is nil: nobody knows but the reader.
var escaped unsafe.Pointer

// Brk returns the current program break. Asking for break 0 changes nothing.
func Brk() uintptr {
	p, _, _ := unix.RawSyscall(unix.SYS_BRK, 0, 0, 0)
	return p
}

// Mapped tells whether every page of the n bytes at addr belongs to some mapping
// of this process, with whatever access rights. It reads none of them.
func Mapped(addr, n uintptr) bool {
	if n == 0 {
		return true
	}
	end := addr + n
	if end < addr {
		return false
	}
	start := addr &^ uintptr(unix.Getpagesize()-1)
	// msync(MS_ASYNC) has written nothing since Linux 2.6.19. What is left is the
	// check we are after: ENOMEM if a part of the range is not mapped. mincore
	// finds out the same, but wants a byte of result for every page.
	_, _, errno := unix.Syscall(unix.SYS_MSYNC, start, end-start, unix.MS_ASYNC)
	return errno == 0
}

// An Area is a memory area of this process: a line of /proc/self/maps.
type Area struct {
	Start, End uintptr
	Access     int // ProtNone, or of ProtRead, ProtWrite and ProtExec
	Shared     bool
	File       bool // it maps one
}

// areaQuery is struct procmap_query of linux/fs.h.
type areaQuery struct {
	size, flags, addr             uint64
	start, end, access, page      uint64
	offset, inode                 uint64
	major, minor, name, buildID   uint32
	nameAddress, buildIDOfAddress uint64
}

const (
	askArea     = 0xc0686611 // PROCMAP_QUERY
	areaOrNext  = 0x10       // PROCMAP_QUERY_COVERING_OR_NEXT_VMA
	areaAccess  = 0x7        // of access: readable, writable, executable
	areaIsShare = 0x8
)

// AreaFrom returns the memory area that holds addr, or else the first one above it. maps is /proc/self/maps.
// An error: there is none, or the kernel cannot be asked, as before Linux 6.11.
func AreaFrom(maps *os.File, addr uintptr) (Area, error) {
	q := areaQuery{size: uint64(unsafe.Sizeof(areaQuery{})), flags: areaOrNext, addr: uint64(addr)}
	fd, err := Fileno(maps)
	if err != nil {
		return Area{}, err
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), askArea, uintptr(unsafe.Pointer(&q))); errno != 0 {
		return Area{}, wrap("look for a memory area", errno)
	}
	return Area{Start: uintptr(q.start), End: uintptr(q.end), Access: int(q.access & areaAccess),
		Shared: q.access&areaIsShare != 0, File: q.inode != 0}, nil
}
