package datatype

import "unsafe"

// Address returns where the words of the flat form lie, and how many there are, for a peer
// that can read them there. They stay as long as the type is reachable.
func (f Flat) Address() (addr uintptr, words int) {
	return uintptr(unsafe.Pointer(unsafe.SliceData(f.words))), len(f.words)
}

// FlatAt is the flat form at an address that Address has returned to a peer. It is not
// checked, and must be used no longer than the peer keeps the type.
func FlatAt(addr uintptr, words int) Flat {
	return Flat{unsafe.Slice((*uint64)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), words)}
}
