package processes

import (
	"os"
	"strconv"
	"strings"
)

// Code is code of a file in the memory of a process.
type Code struct {
	Start, End uint64 // addresses
	Offset     uint64 // of Start in the file
	Path       string
}

// Holds tells whether the address is one of the code.
func (c Code) Holds(at uint64) bool { return at >= c.Start && at < c.End }

// InFile returns the offset in the file of an address that the code holds.
func (c Code) InFile(at uint64) uint64 { return at - c.Start + c.Offset }

// CodeOf returns the code of all files in the memory of a process. A file that was replaced has a path that does
// not exist.
func CodeOf(pid int) (list []Code) {
	text, _ := os.ReadFile(File(pid, "maps")) // an error: it has ended
	for line := range strings.Lines(string(text)) {
		if c, ok := parseCode(line); ok {
			list = append(list, c)
		}
	}
	return list
}

// parseCode parses a line of /proc/PID/maps. ok tells whether it is code of a file.
func parseCode(text string) (c Code, ok bool) {
	fields := strings.Fields(text) // range, permissions, offset, device, inode, path
	if len(fields) < 6 || !strings.Contains(fields[1], "x") || fields[5][0] != '/' {
		return c, false
	}
	from, to, _ := strings.Cut(fields[0], "-")
	start, err1 := strconv.ParseUint(from, 16, 64)
	end, err2 := strconv.ParseUint(to, 16, 64)
	offset, err3 := strconv.ParseUint(fields[2], 16, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return c, false
	}
	at := strings.Index(text, fields[5]) // a path may have spaces
	return Code{Start: start, End: end, Offset: offset, Path: strings.TrimSpace(text[at:])}, true
}
