package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/launchertest"
)

// faultEnv makes the test binary, started as a space host, one that fails:
// "kill spawn 1" kills it between the work of its second spawn request and the
// reply, "stop create 0" stops it there.
const faultEnv = "LAUNCHER_TEST_FAULT"

// faultyHost serves as hostMain does until the fault.
func faultyHost(fault string) int {
	control, err := host.NewControl(os.NewFile(host.ControlFd, "control"))
	if err != nil {
		return fate.CodeError
	}
	h := host.NewHost(control)
	seen := map[string]int{}
	for {
		var req host.Request
		files, err := control.Receive(&req)
		if err != nil {
			h.KillAll()
			return 0
		}
		rep, err := h.Handle(&req, files)
		if err != nil {
			rep.Err = err.Error()
		}
		name := kindOf(&req)
		switch fault {
		case fmt.Sprintf("kill %s %d", name, seen[name]):
			sys.Kill(os.Getpid(), syscall.SIGKILL)
		case fmt.Sprintf("stop %s %d", name, seen[name]):
			sys.Raise(syscall.SIGSTOP)
		}
		seen[name]++
		if req.WantsReply() {
			control.Send(&rep)
		}
	}
}

func kindOf(req *host.Request) string {
	switch {
	case req.Create != nil:
		return "create"
	case req.Memory:
		return "memory"
	case req.Spawn != nil:
		return "spawn"
	}
	return "note"
}

// hostRequests are the requests that a job of two ranks makes.
func hostRequests(btl string) []string {
	if btl == btlSM {
		return []string{"create 0"}
	}
	return []string{"create 0", "memory 0", "spawn 0", "spawn 1"}
}

// The host dies with its work done and the reply not sent: what it made, a rank
// that nobody knows among it, dies too.
func TestHostDiesBeforeItReplies(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		for _, at := range hostRequests(btl) {
			t.Run(at, func(t *testing.T) {
				t.Setenv(faultEnv, "kill "+at)
				out := run(t, ranks(btl, 2, "stubborn"))
				require.NoError(t, out.err)
				require.Equal(t, 137, out.Code)
				require.Regexp(t,
					`^pvasrun: the space host \(pid \d+\) on \S+ was killed by signal 9 \(killed, SIGKILL\)(; `+
						`killing 1 rank|; no rank was running)\n$`, out.stderr)
			})
		}
	})
}

// The host answers nothing: whatever else happens ends the job.
func TestHostThatAnswersNothing(t *testing.T) {
	mine := errors.New("mine")
	events := []struct {
		name string
		code int
		err  error
		act  func(j *Job, host int, signals chan<- os.Signal, cancel context.CancelCauseFunc)
	}{
		{"interrupt", 130, nil, func(_ *Job, _ int, s chan<- os.Signal, _ context.CancelCauseFunc) {
			s <- syscall.SIGINT
		}},
		{"term", 143, nil, func(_ *Job, _ int, s chan<- os.Signal, _ context.CancelCauseFunc) { s <- syscall.SIGTERM }},
		{"hangup", 129, nil, func(_ *Job, _ int, s chan<- os.Signal, _ context.CancelCauseFunc) {
			s <- syscall.SIGHUP
		}},
		{"cancel", 1, mine, func(_ *Job, _ int, _ chan<- os.Signal, c context.CancelCauseFunc) { c(mine) }},
		{"kill of the host", 137, nil, func(_ *Job, host int, _ chan<- os.Signal, _ context.CancelCauseFunc) {
			sys.Kill(host, syscall.SIGKILL)
		}},
	}
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		for _, at := range hostRequests(btl) {
			for _, event := range events {
				t.Run(at+" "+event.name, func(t *testing.T) {
					t.Setenv(faultEnv, "stop "+at)
					ctx, cancel := context.WithCancelCause(t.Context())
					signals := make(chan os.Signal, 1)
					j := ranks(btl, 2, "stubborn")
					stderr := launchertest.NewWatched()
					j.Stdout, j.Stderr, j.Signals = stderr, stderr, signals
					go func() {
						if host := awaitStopped(t); host != 0 { // 0 would be the group of this process
							event.act(&j, host, signals, cancel)
						}
					}()
					result, err := Run(ctx, j)
					require.ErrorIs(t, err, event.err)
					require.Equal(t, event.code, result.Code, stderr)
					require.Empty(t, host.Children(os.Getpid()))
				})
			}
		}
	})
}

// awaitStopped waits until a child of this process is stopped.
func awaitStopped(t *testing.T) int {
	for t.Context().Err() == nil {
		for _, pid := range host.Children(os.Getpid()) {
			if isStopped(pid) {
				return pid
			}
		}
		time.Sleep(time.Millisecond) // no event tells a stop of somebody else's child
	}
	return 0
}

func TestTimeoutOfAStoppedHost(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		for _, at := range hostRequests(btl) {
			t.Run(at, func(t *testing.T) {
				t.Setenv(faultEnv, "stop "+at)
				j := ranks(btl, 2, "stubborn")
				want := map[string]string{"create 0": "pvasrun: no rank has been started yet\n",
					"spawn 1": `\n  1 +- +has not been started: ` + launchertest.RanksProgram + "\n"}
				runTimedOut(t, &j, func() outcome { return run(t, j) }, want[at])
			})
		}
	})
}

// A signal that comes before the first rank ends the job before it begins.
func TestSignalBeforeTheFirstRank(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
			t.Run(sig.String(), func(t *testing.T) {
				t.Setenv(faultEnv, "stop create 0")
				signals := make(chan os.Signal)
				j := ranks(btl, 3, "say", "started")
				j.Signals = signals
				go func() {
					host := awaitStopped(t)
					signals <- sig
					sys.Kill(host, syscall.SIGCONT)
				}()
				out := run(t, j)
				require.NoError(t, out.err)
				require.Equal(t, code, out.Code)
				require.Empty(t, out.stdout+out.stderr)
			})
		}
	})
}

// So does one that comes before there is a host.
func TestSignalBeforeTheHost(t *testing.T) {
	signals := make(chan os.Signal, 1)
	j := ranks(btlSM, 3, "say", "started")
	j.Signals = signals
	plan, err := newPlan(t.Context(), &j)
	require.NoError(t, err)
	orphans, err := host.Adopt()
	require.NoError(t, err)
	defer orphans.End()
	signals <- syscall.SIGTERM
	result, err := newSupervisor(t.Context(), plan, orphans).run(t.Context())
	require.NoError(t, err)
	require.Equal(t, 143, result.Code)
	require.Zero(t, result.HostPid)
}

// A signal that comes while ranks are being started ends those that have been,
// even where they take no notice of it, and starts no more.
func TestSignalWhileRanksAreStarted(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		signals := make(chan os.Signal, 1)
		j := ranks(btl, 200, "stubborn")
		j.Signals = signals
		j.Log = func(format string, args ...any) {
			if strings.HasPrefix(format, "rank %d is pid") && args[0] == 3 {
				signals <- syscall.SIGINT
			}
		}
		out := run(t, j)
		require.NoError(t, out.err)
		require.Equal(t, 130, out.Code)
		require.Less(t, len(launchertest.PidsIn(out.stdout)), 200)
	})
}
