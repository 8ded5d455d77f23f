package backtrace

import (
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

func backtrace(cause string, places []string) string {
	text := cause + "\n"
	for i, name := range nameAll(places) {
		where := filepath.Base(places[i])
		if name != "" {
			where = name + " (" + where + ")"
		}
		text += fmt.Sprintf("  #%-2d %s\n", i, where)
	}
	return text
}

// nameAll returns the names of places, "" for a place that is not known. It reads each file once.
func nameAll(places []string) []string {
	names := make([]string, len(places))
	addresses, from := map[string][]uint64{}, map[string][]int{}
	for i, place := range places {
		at := strings.LastIndex(place, "+0x")
		if at < 0 {
			continue
		}
		address, err := strconv.ParseUint(place[at+3:], 16, 64)
		if err != nil {
			continue
		}
		file := place[:at]
		addresses[file], from[file] = append(addresses[file], address), append(from[file], i)
	}
	for file, list := range addresses {
		found, _ := symbol.Names(file, list) // after an error the report has offsets
		for k, name := range found {
			names[from[file][k]] = name
		}
	}
	return names
}
