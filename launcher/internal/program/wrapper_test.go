package program

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A container has the variable and the descriptors. Podman is asked for them, and for the network unless the user says
// which.
func TestContain(t *testing.T) {
	require.True(t, Contains("/usr/bin/ch-run"))
	require.True(t, Wraps("ch-run", []string{"image", "--", "unknown"}))
	require.False(t, Contains("run"))
	env := []string{"A=1", "LD_AUDIT=theirs"}
	words, set := Contain([]string{"ch-run", "image"}, env, 2, "LD_AUDIT=ours")
	require.Equal(t, []string{"ch-run", "image"}, words)
	require.Equal(t, []string{"A=1", "LD_AUDIT=ours"}, set)
	words, set = Contain([]string{"podman", "run", "image", "program", "--netlist"}, env, 2, "LD_AUDIT=ours")
	require.Equal(t, []string{"podman", "run", "--preserve-fds=2", "--env=LD_AUDIT=ours", "--network=host"}, words[:5])
	require.Contains(t, words, "--env=PVAS_*")
	require.Equal(t, []string{"image", "program", "--netlist"}, words[len(words)-3:])
	require.Equal(t, env, set)
	words, _ = Contain([]string{"podman", "run", "--net=none", "image"}, env, 2, "LD_AUDIT=ours")
	require.NotContains(t, words, "--network=host")
}
