package job

import (
	"fmt"
	"os"

	"github.com/edsrzf/mmap-go"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// Segment is a part of a job's memfd that this process has mapped to read and write.
// Whatever ranks share by a file is mapped here, and nowhere else.
//
// The mapping library says where a region of a file begins, which must be a multiple of
// the page, and leaves its address to the kernel. Its Unmap takes the very slice that it
// has returned, so a Segment keeps that and hands out a part of it.
type Segment struct {
	Bytes   []byte
	mapping mmap.MMap
}

// MapSegment maps length bytes of the job's memfd from offset, which is a multiple of the
// page. It maps them at a multiple of align, a power of two that is at least the page.
// The caller unmaps the segment before it closes the Memory.
func (m *Memory) MapSegment(offset int64, length, align int) (*Segment, error) {
	return mapSegment(m.file, offset, length, align)
}

func mapSegment(f *os.File, offset int64, length, align int) (*Segment, error) {
	room := length
	if align > os.Getpagesize() {
		room += align
	}
	mapping, err := mmap.MapRegion(f, room, mmap.RDWR, 0, offset)
	if err != nil {
		return nil, fmt.Errorf("mmap of %d bytes at offset %#x: %w", length, offset, err)
	}
	s := &Segment{mapping: mapping}
	skip := int(-sys.AddrOf(mapping) & uintptr(align-1))
	s.Bytes = mapping[skip : skip+length : skip+length]
	if skip == 0 {
		return s, nil
	}
	// The bytes at the aligned address are others of the file: the right ones are mapped
	// over them. One Unmap takes all away, and the rest is never touched.
	_, err = sys.Mmap(sys.AddrOf(s.Bytes), uintptr(length), sys.ProtRead|sys.ProtWrite,
		sys.MapShared|sys.MapFixed, int(f.Fd()), offset)
	if err != nil {
		_ = s.Unmap()
		return nil, fmt.Errorf("at offset %#x: %w", offset, err)
	}
	return s, nil
}

// Unmap takes the segment away. Its bytes must not be touched any more.
func (s *Segment) Unmap() error {
	s.Bytes = nil
	if err := s.mapping.Unmap(); err != nil {
		return fmt.Errorf("munmap: %w", err)
	}
	return nil
}
