package shm

// prefetchWrite brings the first cache line of a slot to this CPU, to be written. It does not
// wait for the line.
//
//go:noescape
func prefetchWrite(s *Slot)
