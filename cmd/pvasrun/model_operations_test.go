package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/model"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// TestModelFitRepeats: the spread of fits, of which each finds the eager limit.
func TestModelFitRepeats(t *testing.T) {
	testkit.OnlyLong(t)
	args := []string{"model", "fit", "--repeat", "2", "--times", "3", "--largest", "32K", "--max-seconds", "20",
		"--caches", "warm", "--btl", "sm", "--eager-limit", "4K"}
	got := command(t, nil, append(args, "--json")...)
	require.Equal(t, 0, got.code, got.stderr)
	var s model.FitSpread
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &s))
	require.Equal(t, []int64{4096, 4096}, s.Sync)
	require.Equal(t, 2, s.Fits)
	for _, p := range s.Parameters {
		require.LessOrEqual(t, p.Low, p.Median)
		require.LessOrEqual(t, p.Median, p.High)
	}
	for _, args := range [][]string{{"--repeat", "0"}, {"--repeat", "2", "-o", t.TempDir() + "/machine.json"},
		{"--ranks", "1"}, {"--ranks", "100000"}} {
		require.Equal(t, 2, command(t, nil, append([]string{"model", "fit"}, args...)...).code, args)
	}
}

// TestModelFitWithoutTime: what there is no time for is left out, but each size is measured.
func TestModelFitWithoutTime(t *testing.T) {
	file := t.TempDir() + "/machine.json"
	got := command(t, nil, "model", "fit", "--max-seconds", "1ms", "--largest", "8K", "--caches", "warm",
		"--btl", "sm", "-o", file)
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stdout, "S            4096")
}
