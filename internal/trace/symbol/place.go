package symbol

import (
	"fmt"
	"strings"

	"github.com/gopvas/gopvas/internal/sys"
)

// Place is where a call stands in the source of a program.
type Place struct {
	Function string // "": not known
	File     string // its base name
	Line     int    // 0: not known
}

// String returns "solve at solver.c:12", "solve" if the line is not known, or "" if the function is not.
func (p Place) String() string {
	if p.Function == "" || p.Line == 0 {
		return p.Function
	}
	return fmt.Sprintf("%s at %s:%d", p.Function, p.File, p.Line)
}

// Calls returns the places of calls. An offset in the file is that of the instruction behind a call. A place that is
// not known is zero.
func Calls(path string, offsets []uint64) ([]Place, error) {
	places := make([]Place, len(offsets))
	f, err := openAny(path)
	if err != nil {
		return places, err
	}
	for i, offset := range offsets {
		if at, ok := f.address(offset); ok {
			places[i] = f.place(at, at-1)
		}
	}
	return places, nil
}

// openAny reads the symbols of a file of whatever build.
func openAny(path string) (*file, error) {
	opened, err := sys.OpenRegular(path)
	if err != nil {
		return nil, fmt.Errorf("symbol: %w", err)
	}
	defer opened.Close()
	return read(opened, path)
}

// place returns the function around one address, and the line around the other.
func (f *file) place(at, inLine uint64) (p Place) {
	p.Function, _, _ = strings.Cut(f.function(at), "+")
	p.File, p.Line = f.line(inLine)
	return p
}
