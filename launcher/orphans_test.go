package launcher

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/launchertest"
)

// What ranks leave behind, and what ends while the job goes on, is reaped then:
// both where this process has no other child, and where it has one that is not
// the job's.
func TestOrphansAreReaped(t *testing.T) {
	const orphans = 50
	for _, name := range []string{"alone", "with a child"} {
		if name != "alone" {
			launchertest.StartSleep(t)
		}
		before := len(host.Children(os.Getpid()))
		launchertest.EachBTL(t, func(t *testing.T, btl string) {
			t.Run(name, func(t *testing.T) {
				near, far, err := os.Pipe()
				require.NoError(t, err)
				defer near.Close()
				out := launchertest.NewWatched()
				script := `i=0; while [ $i -lt 50 ]; do (echo orphan & true); i=$((i+1)); done; echo done; read line`
				j := Job{BTL: btl, Stdin: near, Stdout: out, Stderr: out,
					Apps: []App{{Program: "/bin/sh", Args: []string{"-c", script}, N: 1}}}
				done := make(chan error, 1)
				go func() {
					_, err := Run(t.Context(), j)
					done <- err
				}()
				out.Await(t, func(text string) bool { return strings.Count(text, "\n") == orphans+1 })
				// The rank, the host and the guard live.
				require.Eventually(t, func() bool { return len(host.Children(os.Getpid())) == before+3 },
					20*time.Second, time.Millisecond)
				_, err = io.WriteString(far, "\n")
				require.NoError(t, err)
				require.NoError(t, far.Close())
				require.NoError(t, <-done)
				require.Len(t, host.Children(os.Getpid()), before)
			})
		})
	}
}

// The root block says that the pid of a rank is over when the rank has ended.
func TestPidsAreOver(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		near, far, err := os.Pipe()
		require.NoError(t, err)
		defer near.Close()
		var root *job.Root
		var over []bool
		note := func() { over = append(over, root.PidOver(0)) }
		j := Job{BTL: btl, Stdin: near,
			Apps: []App{{Program: "/bin/sh", Args: []string{"-c", "read line; true"}, N: 1}},
			Made: func(r *job.Root) error { root = r; return nil },
			Started: func(p Processes) {
				require.NoError(t, root.Claim(0, p.Ranks[0]))
				note()
				require.NoError(t, far.Close())
			},
			Finished: func(*job.Root) { note() },
		}
		_, err = Run(t.Context(), j)
		require.NoError(t, err)
		require.Equal(t, []bool{false, true}, over)
	})
}
