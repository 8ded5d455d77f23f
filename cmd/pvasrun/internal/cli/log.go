package cli

import (
	"fmt"
	"os"
	"time"
)

// Logger prints what -v asks for, with the time since the start.
func Logger(verbose bool) func(string, ...any) {
	if !verbose {
		return nil
	}
	start := time.Now()
	return func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "pvasrun: %7.3fs %s\n", time.Since(start).Seconds(), fmt.Sprintf(format, args...))
	}
}
