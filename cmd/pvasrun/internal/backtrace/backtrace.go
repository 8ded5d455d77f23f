package backtrace

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/trace/symbol"
)

// Name is what a rank of C that has got a fatal signal calls pvasrun when it starts it. The first
// argument is the cause. Each of the others is a place, "FILE+0xADDRESS", from the innermost call on.
const Name = "pvasrun-backtrace"

// Offer tells the ranks the path of this program.
func Offer() {
	if own, err := os.Executable(); err == nil {
		_ = os.Setenv(job.EnvBacktrace, own) // an error: then ranks report offsets
	}
}

// Main prints the report by one write, so that it is not mixed with lines of other ranks. If the exit code is
// not 0 the rank prints the report by itself.
func Main(args []string) int {
	if len(args) == 0 {
		return cli.CodeUsage
	}
	if _, err := os.Stderr.WriteString(backtrace(args[0], args[1:])); err != nil {
		return 1
	}
	return 0
}

// backtrace names the calls. One whose function the compiler has put into the next has no address.
func backtrace(cause string, calls []string) string {
	text, number := cause+"\n", 0
	line := func(name string) {
		text += fmt.Sprintf("  #%-2d %s\n", number, name)
		number++
	}
	var files symbol.Files
	for _, call := range calls {
		where := filepath.Base(call)
		frames := framesOf(&files, call)
		for i, frame := range frames {
			if name := frame.String(); i < len(frames)-1 {
				line(cmp.Or(name, "?") + " (inlined)")
			} else if name != "" {
				where = name + " (" + where + ")"
			}
		}
		line(where)
	}
	return text
}

// framesOf returns the places of a call, none if they are not known.
func framesOf(files *symbol.Files, call string) []symbol.Place {
	at := strings.LastIndex(call, "+0x")
	if at < 0 {
		return nil
	}
	address, err := strconv.ParseUint(call[at+3:], 16, 64)
	if err != nil {
		return nil
	}
	return files.Frames(call[:at], address)
}
