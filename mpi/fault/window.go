package fault

import (
	"cmp"
	"fmt"
)

// WindowError is an error of a call on a window. It wraps the cause.
type WindowError struct {
	Op   string // the call
	Name string // of the window; "": it has none
	Rank int    // of the window, which the call is about; -1: none
	Err  error
}

// Unwrap returns the cause.
func (e *WindowError) Unwrap() error { return e.Err }

// towards says how calls are about a rank, where it is not "of".
var towards = map[string]string{"put": "to", "get": "from", "accumulate": "to", "get and accumulate": "at",
	"fetch and op": "at", "compare and swap": "at", "begin a request": "to"}

// Error names the call, the window, the rank and the cause.
func (e *WindowError) Error() string {
	about := ""
	if e.Name != "" {
		about = fmt.Sprintf(" %q", e.Name)
	}
	if e.Rank >= 0 {
		about += fmt.Sprintf(" %s rank %d", cmp.Or(towards[e.Op], "of"), e.Rank)
	}
	return fmt.Sprintf("window: %s%s: %v", e.Op, about, e.Err)
}
