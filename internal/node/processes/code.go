package processes

import (
	"io"
	"os"
	"strings"

	"github.com/gopvas/gopvas/internal/node/areas"
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
	maps, err := os.Open(File(pid, "maps"))
	if err != nil {
		return nil // it has ended
	}
	defer maps.Close()
	list, _ = codeIn(maps) // an error: it ends now
	return list
}

func codeIn(maps io.Reader) (list []Code, err error) {
	err = areas.Read(maps, func(a areas.Area) {
		if a.Access[2] == 'x' && strings.HasPrefix(a.Path, "/") {
			list = append(list, Code{Start: a.Start, End: a.End, Offset: a.Offset, Path: a.Path})
		}
	})
	return list, err
}
