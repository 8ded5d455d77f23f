package fault

import "fmt"

// WindowError is an error of a call on a window. It wraps the cause.
type WindowError struct {
	Op   string // the call
	Name string // of the window; "": it has none
	Rank int    // of the window, which the call is about; -1: none
	Err  error
}

// Unwrap returns the cause.
func (e *WindowError) Unwrap() error { return e.Err }

// Error names the call, the window, the rank and the cause.
func (e *WindowError) Error() string {
	about := ""
	if e.Name != "" {
		about = fmt.Sprintf(" %q", e.Name)
	}
	if e.Rank >= 0 {
		about += fmt.Sprintf(" of rank %d", e.Rank)
	}
	return fmt.Sprintf("window: %s%s: %v", e.Op, about, e.Err)
}
