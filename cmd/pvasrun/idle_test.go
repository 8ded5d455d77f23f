package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The memory of an idle rank, which CI prints, is in one address space no more than that of a process. It is what a
// further rank takes: the process that hosts the ranks is there once. What is a rank's own is compared: the part that a
// rank has of files depends on who else runs them.
func TestIdleRank(t *testing.T) {
	onlyInOneSpace(t)
	program := programs.Build(t, "../../examples/hello")
	each := map[string]int{}
	for _, btl := range models(t) {
		few, many := 8, 32
		before, after := memoryOf(t, btl, few, program), memoryOf(t, btl, many, program)
		var row []string
		for i, kind := range memoryKinds {
			row = append(row, kind+" "+strconv.Itoa((after[i]-before[i])/(many-few)))
		}
		t.Logf("KiB of an idle rank, %s: %s", btl, strings.Join(row, ", "))
		for i, kind := range memoryKinds {
			if kind == ownData || kind == heapAndStack {
				each[btl] += (after[i] - before[i]) / (many - few)
			}
		}
	}
	require.LessOrEqual(t, each["pvas"], each["sm"]*21/20)
}

const (
	ownData      = "own data"
	heapAndStack = "heap, stack"
)

var memoryKinds = []string{"PSS", "as in files", ownData, heapAndStack, "shared"}

// memoryOf returns the memory of a job by kind, in KiB.
func memoryOf(t *testing.T, btl string, ranks int, program string) (kib []int) {
	t.Helper()
	got := command(t, nil, "--btl", btl, "--report", "pagetable", "-n", strconv.Itoa(ranks), program)
	require.Equal(t, 0, got.code, got.stderr)
	for _, kind := range memoryKinds {
		row := regexp.MustCompile(`(?m)^ *` + kind + `(?: KiB)? +(\d+)`).FindStringSubmatch(got.stdout + got.stderr)
		require.NotNil(t, row, "%s: %s%s", kind, got.stdout, got.stderr)
		n, err := strconv.Atoi(row[1])
		require.NoError(t, err)
		kib = append(kib, n)
	}
	return kib
}
