package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A rank that waits, be it for a graph, a message or in a barrier, executes the graphs of
// ranks that make no call, also where that takes an operator of the program; or the
// helper of any rank does.
func TestOthersProgressGraphs(t *testing.T) {
	onlyInOneSpace(t)
	program := filepath.Join(t.TempDir(), "graphs")
	buildPIE(t, program, "./testdata/graphs")
	for _, way := range []string{"graph", "message", "barrier"} {
		for _, helpers := range []string{"0", "1"} {
			t.Run(fmt.Sprintf("way=%s/helpers=%s", way, helpers), func(t *testing.T) {
				got := command(t, nil, "--btl", "pvas", "--helpers", helpers, "--timeout", "60", "-n", "4", program, "foreign", way)
				require.Equal(t, 0, got.code, got.stderr)
			})
		}
	}
}

// A rank is killed at a random moment, while all have graphs underway and execute one
// another's.
func TestKillInGraphs(t *testing.T) {
	program := filepath.Join(t.TempDir(), "graphs")
	buildPIE(t, program, "./testdata/graphs")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	btls := models(t)
	for i := range 60 {
		args := []string{"--btl", btls[i%len(btls)]}
		if btls[i%len(btls)] == "pvas" {
			args = append(args, "--progress", []string{"share", "steal", "inline", "owner"}[i/2%4], "--helpers", fmt.Sprint(i%3))
		}
		killOnce(t, append(args, "-n", fmt.Sprint(2+random.IntN(4)), program, "endless"), random)
	}
}
