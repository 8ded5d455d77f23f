package comm

import "github.com/gopvas/gopvas/internal/msg/pml"

// Wildcards and special values, MPI 4.1 sections 3.2.4 and 3.10.
const (
	AnySource = pml.AnySource // receive from whatever rank sends first
	AnyTag    = pml.AnyTag    // receive a message of any tag
	ProcNull  = pml.ProcNull  // the rank that nobody is: sends to it and receives from it do nothing

	// Undefined is the count of a message that is no whole number of elements, and
	// the index of WaitAny if there is nothing to wait for.
	Undefined = -1

	// MaxTag is the greatest tag; the smallest is 0 (MPI_TAG_UB).
	MaxTag = pml.MaxTag
)

// Status tells about a message that was received or probed. MPI 4.1 section 3.2.5.
//
// It is five words. To copy a Status from function to function takes longer than to receive a short
// message: the CPU reads words together that were written one by one. So on the way to a caller it is
// written where it ends up, and functions take a pointer to it.
type Status struct {
	Source int // rank that sent it
	Tag    int // its tag

	// Count is the number of elements received, of the size that the receive gave,
	// or Undefined if it was no whole number of them. A probe counts bytes; see
	// CountIn.
	Count int

	// Cancelled tells that the receive was cancelled; then nothing else is valid.
	Cancelled bool

	Bytes uint64 // number of bytes received, or the length of the message probed
}

// CountIn returns how many elements of that size a status stands for, in particular
// that of a probe; Undefined if it is no whole number of them.
//
// MPI 4.1 section 3.2.5 (MPI_Get_count).
func (s Status) CountIn(size int) int {
	if size < 1 {
		return Undefined
	}
	return count(s.Bytes, size)
}

// count returns the number of elements of that size, or Undefined.
func count(bytes uint64, size int) int {
	if size <= 1 { // bytes, also if nothing is said
		return int(bytes)
	}
	if bytes%uint64(size) != 0 {
		return Undefined
	}
	return int(bytes / uint64(size))
}

// set writes what the layer below says, in a unit.
func (st *Status) set(u unit, s pml.Status) {
	st.Source, st.Tag, st.Cancelled, st.Bytes = s.Source, s.Tag, s.Cancelled, s.Bytes
	st.Count = count(s.Bytes, u.size)
	if u.group != nil {
		st.Source = u.group.source(s.Source)
	}
}

// statusIn is set, for a status that is returned.
func statusIn(u unit, s pml.Status) (st Status) {
	st.set(u, s)
	return st
}
