package areas

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// An Area is a memory area.
type Area struct {
	Start, End uint64
	Access     string // rwx with "-" for what is forbidden, and then s (shared) or p (private)
	Offset     uint64 // of Start in the file
	Path       string // of the file, or a name in brackets; "": none
}

// Shared tells whether others that map the file see what is written.
func (a Area) Shared() bool { return a.Access[3] == 's' }

// Holds tells whether an address is in the area.
func (a Area) Holds(at uint64) bool { return at >= a.Start && at < a.End }

// Parse parses a line.
func Parse(line string) (a Area, err error) {
	words := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 6) // range, access, offset, device, inode, path
	first, last, _ := strings.Cut(words[0], "-")
	start, err1 := strconv.ParseUint(first, 16, 64)
	end, err2 := strconv.ParseUint(last, 16, 64)
	if errors.Join(err1, err2) != nil || end < start || len(words) < 5 || len(words[1]) != 4 {
		return a, fmt.Errorf("memory area %q: unexpected format", line)
	}
	a = Area{Start: start, End: end, Access: words[1]}
	if a.Offset, err = strconv.ParseUint(words[2], 16, 64); err != nil {
		return a, fmt.Errorf("memory area %q: unexpected offset", line)
	}
	if len(words) == 6 {
		a.Path = strings.TrimLeft(words[5], " ")
	}
	return a, nil
}

// Read calls f for each area. It keeps none: those of a job with 1,000 ranks are megabytes of text.
func Read(maps io.Reader, f func(Area)) error {
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		a, err := Parse(lines.Text())
		if err != nil {
			return err
		}
		f(a)
	}
	return lines.Err()
}
