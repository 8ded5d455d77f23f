package sys

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

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
	return Area{uintptr(q.start), uintptr(q.end), int(q.access & areaAccess), q.access&areaIsShare != 0, q.inode != 0}, nil
}
