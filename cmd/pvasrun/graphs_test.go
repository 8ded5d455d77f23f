package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// A rank that waits, be it for a graph, a message or in a barrier, executes the graphs of
// ranks that make no call, also where that takes an operator of the program; or the
// helper of any rank does.
func TestOthersProgressGraphs(t *testing.T) {
	onlyInOneSpace(t)
	program := programs.Build(t, "./testdata/graphs")
	for i, way := range []string{"graph", "message", "barrier"} {
		for _, helpers := range testkit.Turn(i, "0", "1") {
			t.Run(fmt.Sprintf("way=%s/helpers=%s", way, helpers), func(t *testing.T) {
				got := command(t, nil, "--btl", "pvas", "--helpers", helpers, "--timeout", "60", "-n", "4",
					program, "foreign", way)
				require.Equal(t, 0, got.code, got.stderr)
			})
		}
	}
}

// A rank is killed at a random moment, while all have graphs underway and execute one
// another's.
func TestKillInGraphs(t *testing.T) {
	killMany(t, testkit.Rounds(36), func(i int, btl string) (flags []string) {
		if btl == "pvas" {
			flags = []string{"--progress", []string{"share", "owner"}[i/2%2], "--helpers", fmt.Sprint(i % 3)}
		}
		return flags
	}, "graphs", "endless")
}
