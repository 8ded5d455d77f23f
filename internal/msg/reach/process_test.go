package reach

import (
	"fmt"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi/fault"
)

// A call on a process whose number may be that of another one fails, also if the system says that it was done.
func TestNumberOfAProcessThatHasEnded(t *testing.T) {
	mem, err := job.InHeap(job.Config{Ranks: 2, BTL: job.BTLSM, CPUs: 1})
	require.NoError(t, err)
	defer mem.Close()
	root := mem.Root()
	for rank, reaper := range []string{"supervisor", "script"} {
		t.Run(reaper, func(t *testing.T) {
			cmd := exec.Command("sleep", "1000")
			require.NoError(t, cmd.Start())
			pid := cmd.Process.Pid
			require.NoError(t, root.Claim(rank, pid))
			p := &Process{pid: pid, root: root, rank: rank, end: -1}
			if reaper == "script" {
				p.end, err = sys.PidfdOpen(pid)
				require.NoError(t, err)
				defer syscall.Close(p.end)
			}
			calls := 0
			call := func(int, []byte, []sys.IOVec) error {
				calls++
				return nil
			}
			require.NoError(t, p.move(call, nil, nil))
			exits := func(int, []byte, []sys.IOVec) error { return fmt.Errorf("read: %w", syscall.ESRCH) }
			require.Equal(t, &fault.LostError{Rank: rank}, p.move(exits, nil, nil), "it is about to be reaped")
			ends := func(int, []byte, []sys.IOVec) error { // and a stranger gets the bytes
				require.NoError(t, cmd.Process.Kill())
				require.NoError(t, sys.AwaitEnd(pid))
				if reaper == "supervisor" {
					root.Reaping(pid)
				}
				require.Error(t, cmd.Wait())
				return nil
			}
			lost := &fault.LostError{Rank: rank}
			require.Equal(t, lost, p.move(ends, nil, nil))
			require.Equal(t, lost, p.move(call, nil, nil))
			require.Equal(t, 1, calls, "the number is not used any more")
		})
	}
}
