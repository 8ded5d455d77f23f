package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/trace/symbol"
)

// A rank in C that has got a fatal signal starts pvasrun by this name to have the places of its calls named. Its
// arguments are what the report begins with, and then each place: "FILE+0xADDRESS", from the innermost call on.
const backtraceName = "pvasrun-backtrace"

// offerBacktraces tells ranks where this program is.
func offerBacktraces() {
	if own, err := os.Executable(); err == nil {
		_ = os.Setenv(job.EnvBacktrace, own) // an error: then ranks report offsets
	}
}

// backtraceMain prints the report by one write, so that lines of other ranks do not come between. The code is 0 if
// the rank need not print it.
func backtraceMain(args []string) int {
	if len(args) == 0 {
		return codeUsage
	}
	if _, err := os.Stderr.WriteString(backtrace(args[0], args[1:])); err != nil {
		return 1
	}
	return 0
}

func backtrace(cause string, places []string) string {
	text := cause + "\n"
	for i, name := range nameAll(places) {
		file, at, _ := strings.Cut(places[i], "+0x")
		where := cmp.Or(filepath.Base(file), "?")
		if at != "" {
			where += "+0x" + at
		}
		if name != "" {
			where = name + " (" + where + ")"
		}
		text += fmt.Sprintf("  #%-2d %s\n", i, where)
	}
	return text
}

// nameAll returns the names of places, "" for those that are not known. Each file is read once.
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
		found, _ := symbol.Names(file, list) // an error: offsets have to do
		for k, name := range found {
			names[from[file][k]] = name
		}
	}
	return names
}
