package mpitest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// framing is lines that package testing prints around what a test says.
var framing = regexp.MustCompile(`^(PASS|FAIL|=== (RUN|PAUSE|CONT|NAME) .*|\s*--- (PASS|SKIP): .*|` +
	`coverage: .* of statements.*|testing: warning: .*)$`)

// outputTo is the pattern of the launcher for the files of a folder in which the ranks' outputs are.
func outputTo(dir string) string { return strings.ReplaceAll(dir, "%", "%%") + "/%r" }

// outputs is what the ranks have printed, each line with the number of its rank.
func outputs(dir string, n int) string {
	var all strings.Builder
	for rank := range n {
		text, _ := os.ReadFile(filepath.Join(dir, strconv.Itoa(rank))) // an error: it has not been started
		for line := range strings.Lines(string(text)) {
			if !framing.MatchString(strings.TrimRight(line, "\n")) {
				fmt.Fprintf(&all, "rank %d: %s\n", rank, strings.TrimRight(line, "\n"))
			}
		}
	}
	return all.String()
}
