package model

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/loggps/waits"
)

// A model without S names what says one: flags, and variables.
func TestModelWithoutS(t *testing.T) {
	size := cli.Size(5)
	for _, c := range []struct {
		flags          SimFlags
		variable, says string
	}{
		{SimFlags{Sync: &size}, "", "leave out --S"},
		{SimFlags{Sync: &size}, "PVASRUN_S", "leave out --S and PVASRUN_S"},
		{SimFlags{Synchronous: true}, "", "leave out --synchronous"},
		{SimFlags{Sync: &size, Synchronous: true}, "", "leave out --S and --synchronous"},
	} {
		t.Setenv("PVASRUN_S", "")
		if c.variable != "" {
			t.Setenv(c.variable, "5")
		}
		c.flags.Model, c.flags.Param, c.flags.Compute = "loggp1", "L=1", 1
		_, err := c.flags.Options()
		require.EqualError(t, err, "--model loggp1: it has no S: "+c.says)
	}
}

// What LogGOPS can simulate it can explain.
func TestShowByLogGOPS(t *testing.T) {
	file := filepath.Join(t.TempDir(), "two.goal")
	text := "num_ranks 2\nrank 0 {\nsend 70000b to 1\n}\nrank 1 {\nrecv 70000b from 0\n}\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	require.NoError(t, executeModelShow([]string{file, "-o", "-", "--param", "L=1000,o=500,G=1,O=1,S=65536",
		"--model", "loggops"}))
}

// A program that computes nothing has no balance.
func TestEfficiencyWithoutComputation(t *testing.T) {
	ranks := []waits.Times{{Waited: 5}, {Transferred: 5}}
	require.Equal(t, "parallel efficiency 0 %: no rank computes",
		sayEfficiency(ranks, waits.Efficiencies(ranks, 5, 0)))
}
