package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestModelExchange(t *testing.T) {
	got := command(t, nil, "model", "exchange", "--sizes", "16K,8M")
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `(?m)^ +8MiB +14.99 +19.98 +19.98 +19.95 +wrap *$`, got.stdout)
	require.Contains(t, got.stdout, "device 0   A")
	for _, bad := range []string{"--neighbors=0", "--torus=4x1", "--bandwidth=-1", "--bandwidth=nan", "--bandwidth=inf",
		"--sizes=0", "--devices=1000", "--torus=65536 --devices=255"} {
		require.Equal(t, 2, command(t, nil, append([]string{"model", "exchange"}, strings.Fields(bad)...)...).code, bad)
	}
	torus := command(t, nil, "model", "exchange", "--sizes", "1M", "--torus", "4x3x8")
	require.True(t, strings.Contains(torus.stdout, "14.93"), torus.stdout)
}
