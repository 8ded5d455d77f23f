//go:build amd64 || arm64

package exit

// Image is a program, as a file has it, that ends with a code one lower than the number of its arguments, the first
// included. It has no memory besides this page and its stack. It is "" on machines that it is not written for.
const Image = head + machine + rest + code

// The file has a header, one segment, which is the whole file at 0x10000, and 16 bytes of code.
const (
	head = "\x7fELF\x02\x01\x01\x00" + none + // 64 bits, little-endian
		"\x02\x00" // ET_EXEC
	rest = "\x01\x00\x00\x00" + // version; machine, of 2 bytes, stands before it
		"\x78\x00\x01\x00\x00\x00\x00\x00" + // entry: the code
		"\x40\x00\x00\x00\x00\x00\x00\x00" + none + // segments are described from byte 64 on; there are no sections
		"\x00\x00\x00\x00" + "\x40\x00\x38\x00\x01\x00\x00\x00\x00\x00\x00\x00" + // flags; 1 segment, of 56 bytes
		"\x01\x00\x00\x00\x05\x00\x00\x00" + none + // PT_LOAD, to read and execute, from byte 0
		"\x00\x00\x01\x00\x00\x00\x00\x00" + "\x00\x00\x01\x00\x00\x00\x00\x00" + // at
		"\x88\x00\x00\x00\x00\x00\x00\x00" + "\x88\x00\x00\x00\x00\x00\x00\x00" + // length
		"\x00\x00\x01\x00\x00\x00\x00\x00" // alignment: the largest page
	none = "\x00\x00\x00\x00\x00\x00\x00\x00"
)
