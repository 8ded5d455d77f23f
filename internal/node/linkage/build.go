package linkage

import (
	"bytes"
	"debug/elf"
	"sync"
)

// Build is a short mark of the executable of this process: two with the same mark have the same contents. It is the
// end of the build ID that Go's linker writes, a hash of the contents; "unknown" where the linker was told not to.
var Build = sync.OnceValue(func() string {
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		return unknownBuild
	}
	defer f.Close()
	section := f.Section(".note.go.buildid")
	if section == nil {
		return unknownBuild
	}
	note, err := section.Data()
	if err != nil {
		return unknownBuild
	}
	return buildOf(note)
})

const unknownBuild = "unknown"

// buildOf is the mark in a note. Its ID ends with a slash and the hash.
func buildOf(note []byte) string {
	const length = 10
	at := bytes.LastIndexByte(note, '/') + 1
	if at == 0 || len(note) < at+length {
		return unknownBuild
	}
	return string(note[at : at+length])
}
