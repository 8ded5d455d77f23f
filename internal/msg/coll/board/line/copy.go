package line

// Copy copies bytes from or to memory that other members use, too.
func Copy(to, from []byte) {
	n := copy(to, from)
	ReadsBytes(from[:n])
	WritesBytes(to[:n])
}
