package trace

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// Code is a place in a program that is not written in Go, or in one of its libraries. Package
// trace/symbol finds out what is there.
type Code struct {
	Path    string // of the file
	BuildID string // hexadecimal; "": the file has none
	Offset  uint64 // in the file, of the instruction behind the call
}

// String returns the name of the file and the offset.
func (c Code) String() string { return fmt.Sprintf("%s+%#x", filepath.Base(c.Path), c.Offset) }

// NameCode returns the records by which the number of a call site gets its meaning, if that is
// a Code.
func NameCode(number uint16, c Code) []Raw {
	id := c.BuildID
	if id == "" {
		id = noBuildID
	}
	return text(Raw{Kind: named, Flags: tableCode, Number: uint32(number)},
		fmt.Sprintf("%x %s %s", c.Offset, id, c.Path))
}

const noBuildID = "-"

// parseCode is the inverse of the text of NameCode.
func parseCode(text string) (c Code, ok bool) {
	words := strings.SplitN(text, " ", 3)
	if len(words) < 3 || words[2] == "" {
		return c, false
	}
	offset, err := strconv.ParseUint(words[0], 16, 64)
	c = Code{Path: words[2], BuildID: words[1], Offset: offset}
	if c.BuildID == noBuildID {
		c.BuildID = ""
	}
	return c, err == nil
}

// Of ELF files of 64 bits, little endian.
const (
	elfHeader    = 64
	elfSegment   = 56
	segmentNotes = 4
	noteBuildID  = 3
	maxSegments  = 128
	maxNotes     = 64 << 10
)

// BuildID returns the identity that the linker has given to a program or library, in
// hexadecimal, "" if there is none.
func BuildID(f io.ReaderAt) string {
	var h [elfHeader]byte
	if _, err := f.ReadAt(h[:], 0); err != nil || string(h[:6]) != "\x7fELF\x02\x01" {
		return ""
	}
	at, n := int64(binary.LittleEndian.Uint64(h[32:])), int(binary.LittleEndian.Uint16(h[56:]))
	for i := range min(n, maxSegments) {
		var s [elfSegment]byte
		if _, err := f.ReadAt(s[:], at+int64(i)*elfSegment); err != nil {
			return ""
		}
		size := binary.LittleEndian.Uint64(s[32:])
		if binary.LittleEndian.Uint32(s[:]) != segmentNotes || size > maxNotes {
			continue
		}
		notes := make([]byte, size)
		if _, err := f.ReadAt(notes, int64(binary.LittleEndian.Uint64(s[8:]))); err != nil {
			continue
		}
		if id := findID(notes); id != "" {
			return id
		}
	}
	return ""
}

// findID finds the identity among notes.
func findID(notes []byte) string {
	for len(notes) >= 12 {
		name, length := int(binary.LittleEndian.Uint32(notes)), int(binary.LittleEndian.Uint32(notes[4:]))
		kind := binary.LittleEndian.Uint32(notes[8:])
		notes = notes[12:]
		from := (name + 3) &^ 3
		to := from + length
		if name < 0 || length < 0 || from > len(notes) || to < from || to > len(notes) {
			return ""
		}
		if kind == noteBuildID && string(notes[:name]) == "GNU\x00" {
			return hex.EncodeToString(notes[from:to])
		}
		notes = notes[min((to+3)&^3, len(notes)):]
	}
	return ""
}
