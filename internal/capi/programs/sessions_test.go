package programs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A deadlock is proved in programs with sessions, too: one thread at a time calls MPI there, or there is only one. What
// ranks have not passed alike to make a communicator is named.
func TestDeadlocksOfSessions(t *testing.T) {
	program := build(t, "sessions.c")
	eachModel(t, func(t *testing.T, w way) {
		for _, how := range []string{"cycle", "cycle of one thread", "cycle beside MPI_Init", "tags", "groups"} {
			_, stderr, code := w.start(t, 2, "--deadlock-after", "200ms", program, how)
			require.Equal(t, 125, code, "%s: %s", how, stderr)
			require.Contains(t, stderr, "deadlock, proved: rank 0 waits for rank 1 waits for rank 0; ", how)
			for text, of := range map[string]string{
				` on tag and group "red of ranks 0-1" for `:   "tags, groups",
				` on tag and group "green of ranks 0-1" for `: "tags",
				` on tag and group "red of ranks 1, 0" for `:  "groups",
			} {
				require.Equal(t, strings.Contains(of, how), strings.Contains(stderr, text), "%s: %s", how, stderr)
			}
		}
	})
}

// What was made of a session and is left at its end is told, as at the end of MPI. It is told once.
func TestLeftBySessions(t *testing.T) {
	program := build(t, "sessions.c")
	eachModel(t, func(t *testing.T, w way) {
		_, stderr, code := w.start(t, 1, program, "left")
		require.Equal(t, 0, code, stderr)
		require.Equal(t, "rank 0: session finalize: warning: windows not freed: 1\nfirst is over\n", stderr)
		_, stderr, code = run(t, nil, tool("mpiexec"), "-n", "1", "--btl", w.btl, "--check", program, "left")
		require.Equal(t, 0, code, stderr)
		require.Equal(t, "rank 0: session finalize: warning: communicators not freed: 2\n"+
			"rank 0: session finalize: warning: windows not freed: 1\nfirst is over\n", stderr)
	})
}
