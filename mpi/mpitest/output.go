package mpitest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// framing are the beginnings of lines that package testing prints around what a test says.
var framing = []string{"PASS", "FAIL", "=== ", "--- PASS", "--- SKIP", "coverage:", "testing: warning:"}

// outputTo is the pattern of the launcher for the files of a folder in which the ranks' outputs are.
func outputTo(dir string) string { return strings.ReplaceAll(dir, "%", "%%") + "/%r" }

// outputs is what the ranks have printed, each line with the number of its rank.
func outputs(dir string, n int) string {
	var all strings.Builder
	for rank := range n {
		text, _ := os.ReadFile(filepath.Join(dir, strconv.Itoa(rank))) // an error: it has not been started
		for line := range strings.Lines(string(text)) {
			if !frames(line) {
				fmt.Fprintf(&all, "rank %d: %s\n", rank, strings.TrimRight(line, "\n"))
			}
		}
	}
	return all.String()
}

func frames(line string) bool {
	line = strings.TrimSpace(line)
	return slices.ContainsFunc(framing, func(begin string) bool { return strings.HasPrefix(line, begin) })
}
