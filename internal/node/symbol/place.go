package symbol

import "fmt"

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
