package launcher

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/node/topology"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/launchertest"
)

func TestSuccess(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		out := run(t, ranks(btl, 5, "true"))
		require.NoError(t, out.err)
		require.Zero(t, out.Code)
		require.Nil(t, out.Failure)
		require.Equal(t, btl, out.BTL.String())
		require.Empty(t, out.stdout+out.stderr)
	})
}

// One rank ends badly; the others would wait for ever.
func TestOneRankFails(t *testing.T) {
	hostname, err := os.Hostname()
	require.NoError(t, err)
	cases := []struct {
		verb, arg string
		code      int
		how       string
	}{
		{"exit", "3", 3, "exited with code 3"},
		{"exit", "255", 255, "exited with code 255"},
		{"panic", "", 2, "exited with code 2"},
		{"segv", "", 139, `was killed by signal 11 \(segmentation fault, SIGSEGV\)(, core dumped)?`},
		{"suicide", "", 137, `was killed by signal 9 \(killed, SIGKILL\)`},
	}
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		for _, c := range cases {
			t.Run(c.verb+c.arg, func(t *testing.T) {
				out := run(t, ranks(btl, 4, "-only", "2", c.verb, c.arg))
				require.NoError(t, out.err)
				require.Equal(t, c.code, out.Code)
				require.NotNil(t, out.Failure)
				require.Equal(t, 2, out.Failure.Rank)
				require.Equal(t, c.code, out.Failure.Code())
				line := fmt.Sprintf(`(?m)^pvasrun: rank 2 \(pid %d, %s\) on %s %s; ending the other (rank|[23] ranks)$`,
					out.Failure.Pid, regexp.QuoteMeta(launchertest.RanksProgram), regexp.QuoteMeta(hostname), c.how)
				require.Regexp(t, line, out.stderr)
				require.Equal(t, 1, strings.Count(out.stderr, "pvasrun:"), out.stderr)
			})
		}
	})
}

// Ranks may learn of a death before the supervisor does, and end because of it: the
// cause is the rank that was killed, in whatever order they are reaped.
func TestTheCauseIsTheKilledRank(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		p := startPvasrun(t, ranks(btl, 3, "polite", "7"), func(*exec.Cmd) {})
		pids := p.AwaitRanks(3)
		slices.Sort(pids)
		require.NoError(t, sys.Kill(p.Cmd.Process.Pid, syscall.SIGSTOP))
		for _, end := range []struct {
			pid int
			by  syscall.Signal
		}{{pids[2], syscall.SIGKILL}, {pids[0], syscall.SIGINT}, {pids[1], syscall.SIGINT}} {
			require.NoError(t, sys.Kill(end.pid, end.by))
			launchertest.RequireGone(t, []int{end.pid})
		}
		require.NoError(t, sys.Kill(p.Cmd.Process.Pid, syscall.SIGCONT))
		require.Equal(t, 137, p.Code())
		require.Contains(t, p.Stderr.String(), fmt.Sprintf("(pid %d, %s) on ", pids[2], launchertest.RanksProgram))
		require.Equal(t, 1, strings.Count(p.Stderr.String(), "\n"), p.Stderr)
	})
}

// Ranks that take no notice of TERM are killed.
func TestStubbornRanksAreKilled(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		p := startPvasrun(t, ranks(btl, 3, "stubborn"), func(*exec.Cmd) {})
		pids := p.AwaitRanks(3)
		require.NoError(t, sys.Kill(pids[1], syscall.SIGKILL))
		require.Equal(t, 137, p.Code())
		launchertest.RequireGone(t, pids)
		require.Contains(t, p.Stderr.String(), "; ending the other 2 ranks\n")
	})
}

// runTimedOut runs a job until its time-out comes late enough for a report like want.
func runTimedOut(t *testing.T, j *Job, run func() outcome, want string) (out outcome) {
	t.Helper()
	launchertest.UntilReport(t, &j.Timeout, want, func() (int, string) {
		out = run()
		require.NoError(t, out.err)
		return out.Code, out.stderr
	})
	return out
}

func TestTimeout(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		j := ranks(btl, 3, "block")
		// also of programs that do not use the runtime
		out := runTimedOut(t, &j, func() outcome { return run(t, j) },
			`pvasrun: what the ranks do:\n.*\n(  \d +\d+ +has not called Init: .*\n){3}`)
		require.Nil(t, out.Failure)
		require.Regexp(t, fmt.Sprintf(`\npvasrun: time-out after %v: (ending [1-3] ranks?|no rank was running)\n$`,
			j.Timeout), out.stderr)
		for _, pid := range launchertest.PidsIn(out.stdout) {
			require.Regexp(t,
				fmt.Sprintf(`(?m)^  \d +%d +has not called Init: %s$`, pid,
					regexp.QuoteMeta(launchertest.RanksProgram)), out.stderr)
		}
	})
}

func TestHostKilled(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		p := startPvasrun(t, ranks(btl, 3, "stubborn"), func(*exec.Cmd) {})
		pids, host := p.AwaitRanks(3), p.Child(host.Name)
		require.NoError(t, sys.Kill(host, syscall.SIGKILL))
		require.Equal(t, 137, p.Code())
		launchertest.RequireGone(t, append(pids, host))
		require.Contains(t, p.Stderr.String(), fmt.Sprintf("pvasrun: the space host (pid %d) on ", host))
		require.Contains(t, p.Stderr.String(), "was killed by signal 9 (killed, SIGKILL); killing 3 ranks\n")
	})
}

// Not even what left its process group and session outlives a killed supervisor.
func TestSupervisorKilled(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		p := startPvasrun(t, ranks(btl, 3, "orphan", "block"), func(*exec.Cmd) {})
		pids := p.AwaitRanks(6)
		pids = append(pids, p.Child(host.Name))
		require.NoError(t, sys.Kill(p.Cmd.Process.Pid, syscall.SIGKILL))
		require.Equal(t, 137, p.Code())
		launchertest.RequireGone(t, pids)
	})
}

// Nor the supervisor and the host that are killed together.
func TestSupervisorAndHostKilled(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		for _, args := range [][]string{{"orphan", "block"}, {"block"}} {
			p := startPvasrun(t, ranks(btl, 3, args...), func(*exec.Cmd) {})
			pids, hostPid := p.AwaitRanks(3*len(args)), p.Child(host.Name)
			guard := p.Child(host.GuardName)
			require.NoError(t, sys.Kill(p.Cmd.Process.Pid, syscall.SIGSTOP)) // not even a moment to act
			require.NoError(t, sys.Kill(hostPid, syscall.SIGKILL))
			require.NoError(t, sys.Kill(p.Cmd.Process.Pid, syscall.SIGKILL))
			require.Equal(t, 137, p.Code())
			launchertest.RequireGone(t, append(pids, hostPid, guard))
		}
	})
}

func TestInterrupt(t *testing.T) {
	cases := []struct {
		name string
		args []string
		sig  syscall.Signal
		code int
	}{
		{"default", []string{"block"}, syscall.SIGINT, 130},
		{"term", []string{"block"}, syscall.SIGTERM, 143},
		{"hup", []string{"block"}, syscall.SIGHUP, 129},
		{"handled", []string{"polite", "0"}, syscall.SIGINT, 0},
		{"handled badly", []string{"polite", "7"}, syscall.SIGINT, 130},
	}
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				p := startPvasrun(t, ranks(btl, 3, c.args...), func(*exec.Cmd) {})
				pids := p.AwaitRanks(3)
				require.NoError(t, sys.Kill(p.Cmd.Process.Pid, c.sig))
				require.Equal(t, c.code, p.Code(), p.Stderr)
				launchertest.RequireGone(t, pids)
				require.NotContains(t, p.Stderr.String(), "pvasrun:")
			})
		}
	})
}

// Many ranks of one address space are killed by the host.
func TestSecondInterruptKills(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) { secondInterrupt(t, btl, 3, false) })
	t.Run("many", func(t *testing.T) {
		launchertest.EachBTL(t, func(t *testing.T, btl string) {
			secondInterrupt(t, btl, manyRanks, btl == "pvas")
		})
	})
}

func secondInterrupt(t *testing.T, btl string, n int, byHost bool) {
	j := ranks(btl, n, "stubborn")
	j.Log = t.Logf
	p := startPvasrun(t, j, func(*exec.Cmd) {})
	pids := p.AwaitRanks(n)
	// Two interrupts in a row may count as one, so go on until it has helped.
	require.NoError(t, sys.Kill(p.Cmd.Process.Pid, syscall.SIGINT))
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
				sys.Kill(p.Cmd.Process.Pid, syscall.SIGINT)
			}
		}
	}()
	require.Equal(t, 130, p.Code())
	launchertest.RequireGone(t, pids)
	require.Contains(t, p.Stderr.String(), fmt.Sprintf("pvasrun: second interrupt: killing %d ranks\n", n))
	require.Equal(t, byHost, strings.Contains(p.Stderr.String(), fmt.Sprintf("the space host kills %d ranks", n)))
	require.NotContains(t, p.Stderr.String(), "has not killed")
}

func TestSignalsAreForwarded(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		p := startPvasrun(t, ranks(btl, 2, "signals"), func(*exec.Cmd) {})
		p.AwaitRanks(2)
		for _, sig := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGHUP, syscall.SIGCONT} {
			require.NoError(t, sys.Kill(p.Cmd.Process.Pid, sig))
			want := fmt.Sprintf("got %v\n", sig)
			p.Stdout.Await(t, func(text string) bool { return strings.Count(text, want) >= 2 })
		}
		require.NoError(t, sys.Kill(p.Cmd.Process.Pid, syscall.SIGTERM))
		require.Equal(t, 0, p.Code())
	})
}

// A signal that comes while a rank is being started is for that rank, too: its user may have seen
// the rank's output, of which the host has not told yet.
func TestSignalsWaitForAllRanks(t *testing.T) {
	p := &plan{job: &Job{}, seats: seats{machine: new(topology.Machine)}}
	s := &supervisor{plan: p, ranks: rosterOf(2), fate: fate.Fate{Starting: true}}
	s.fate.Effects = fate.Effects{Signal: s.ranks.Signal}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	sleeps := []*exec.Cmd{exec.CommandContext(ctx, "sleep", "1000"), exec.CommandContext(ctx, "sleep", "1000")}
	for rank, sleep := range sleeps {
		sleep.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		require.NoError(t, sleep.Start())
		s.rankStarted(process{rank: rank, pid: sleep.Process.Pid})
		if rank == 0 {
			s.received(syscall.SIGUSR1)
		}
	}
	s.allStarted(ctx, nil)
	for _, sleep := range sleeps {
		require.EqualError(t, sleep.Wait(), "signal: user defined signal 1")
	}
}

// TestContinueEndsStop: Ctrl-Z and then CONT before all ranks have been started do not stop anybody.
func TestContinueEndsStop(t *testing.T) {
	s := &supervisor{plan: &plan{job: &Job{}}, fate: fate.Fate{Starting: true}}
	for _, signal := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGTSTP, syscall.SIGCONT} {
		s.received(signal)
	}
	var left []syscall.Signal
	for _, later := range s.later {
		left = append(left, later.Signal)
	}
	require.Equal(t, []syscall.Signal{syscall.SIGUSR1, syscall.SIGCONT}, left)
}

// What a rank leaves behind dies with the job, even in a session of its own, and
// does not keep the output open.
func TestOrphansDieWithTheJob(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		out := run(t, ranks(btl, 2, "orphan"))
		require.NoError(t, out.err)
		require.Zero(t, out.Code)
		require.Len(t, launchertest.PidsIn(out.stdout), 2)
	})
}

// A child that the process had before the job is not the job's.
func TestOwnChildrenAreLeftAlone(t *testing.T) {
	sleep := launchertest.StartSleep(t)
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		_, err := Run(t.Context(), ranks(btl, 1, "true"))
		require.NoError(t, err)
		require.False(t, launchertest.Gone(sleep))
	})
}

// No right is needed: neither root, nor a capability, nor ptrace.
func TestUnprivilegedUser(t *testing.T) {
	public := publicSelf(t, publicFolder(t))
	drop := func(cmd *exec.Cmd) {
		cmd.Dir, cmd.Path = "/", public
		asOrdinary(cmd)
	}
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		p := startPvasrun(t, ranks(btl, 3, "-only", "1", "exit", "6"), drop)
		require.Equal(t, 6, p.Code(), p.Stderr)
		launchertest.RequireGone(t, launchertest.PidsIn(p.Stdout.String()))
	})
}

func TestManyRanks(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		j := Job{BTL: btl, Apps: []App{{Program: "/bin/true", N: 200}}}
		out := run(t, j)
		require.NoError(t, out.err)
		require.Zero(t, out.Code)
	})
}

// slow is a destination that takes its time for each write.
type slow struct{ strings.Builder }

func (s *slow) Write(b []byte) (int, error) {
	time.Sleep(time.Millisecond)
	return s.Builder.Write(b)
}

// What a rank writes before it dies, such as the report of a fault, comes before the line on its end.
func TestLastWordsComeFirst(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		var out slow
		j := ranks(btl, 1)
		j.Apps[0].Program, j.Apps[0].Args = "sh", []string{"-c", "seq 9000 >&2; exit 3"}
		j.Stderr = &out
		_, err := Run(t.Context(), j)
		require.NoError(t, err)
		require.Regexp(t, `\n9000\npvasrun: rank 0 .* exited with code 3\n$`, out.String())
	})
}
