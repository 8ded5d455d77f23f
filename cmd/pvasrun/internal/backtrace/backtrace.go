package backtrace

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/symbol"
)

// Name is what a rank of C calls pvasrun when it starts it, after a fatal signal or for an error. The first
// argument is the cause. Each of the others is a place, "FILE+0xADDRESS", from the innermost call on. Without a cause
// there is one place, "FILE+0xOFFSET", of a call that was refused: its name is the output.
const Name = job.BacktraceName

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
	out, text := os.Stderr, ""
	if args[0] == "" && len(args) == 2 {
		out, text = os.Stdout, refused(args[1])
	} else {
		text = backtrace(args[0], args[1:])
	}
	if _, err := out.WriteString(text); err != nil {
		return 1
	}
	return 0
}

// refused names the place of a call, "" if that is not known.
func refused(call string) string {
	path, offset, ok := split(call)
	if !ok {
		return ""
	}
	return new(symbol.Files).Call(path, offset).String()
}

// split takes a place apart.
func split(call string) (path string, at uint64, ok bool) {
	i := strings.LastIndex(call, "+0x")
	if i < 0 {
		return "", 0, false
	}
	at, err := strconv.ParseUint(call[i+3:], 16, 64)
	return call[:i], at, err == nil
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
	path, address, ok := split(call)
	if !ok {
		return nil
	}
	return files.Frames(path, address)
}
