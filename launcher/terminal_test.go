package launcher

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/launchertest"
)

// startAtTerminal starts a supervisor whose standard files are a terminal, in
// the foreground. stdout of p is what it shows; keys are what is typed.
func startAtTerminal(t *testing.T, j Job) (p *launchertest.Pvasrun, keys io.Writer) {
	t.Helper()
	return startAtTerminalWith(t, j, func(*exec.Cmd) {})
}

// startAtTerminalWith lets the caller change the command before it is started.
func startAtTerminalWith(t *testing.T, j Job, change func(*exec.Cmd)) (p *launchertest.Pvasrun, keys io.Writer) {
	t.Helper()
	master, terminal, err := sys.OpenTerminal()
	require.NoError(t, err)
	defer terminal.Close()
	self, err := os.Executable()
	require.NoError(t, err)
	text, err := json.Marshal(sentJob{BTL: j.BTL, Apps: j.Apps})
	require.NoError(t, err)
	p = &launchertest.Pvasrun{T: t, Cmd: exec.Command(self), Stdout: launchertest.NewWatched()}
	p.Cmd.Env = append(os.Environ(), launchertest.JobEnv+"="+string(text))
	change(p.Cmd)
	p.Cmd.Stdin, p.Cmd.Stdout, p.Cmd.Stderr = terminal, terminal, terminal
	p.Cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, p.Cmd.Start())
	read := make(chan struct{})
	go func() {
		io.Copy(p.Stdout, master) // EIO when the last user of the terminal has gone
		close(read)
	}()
	t.Cleanup(func() {
		p.Cmd.Process.Kill()
		p.Cmd.Wait()
		<-read
		master.Close()
	})
	return p, master
}

// Ranks are in background groups of the terminal and could not read from it.
func TestTerminalInput(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		p, keys := startAtTerminal(t, ranks(btl, 2, "cat"))
		_, err := io.WriteString(keys, "typed\n")
		require.NoError(t, err)
		// Once as the terminal's echo, once as the rank's output.
		p.Stdout.Await(t, func(text string) bool { return strings.Count(text, "typed") == 2 })
		_, err = io.WriteString(keys, "\x04")
		require.NoError(t, err)
		require.Zero(t, p.Code())
	})
}

// What is typed while no rank reads is for the shell, whatever the ranks do meanwhile.
func TestTypedAhead(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash, which reads what is left, is not installed")
	}
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		p, keys := startAtTerminalWith(t, ranks(btl, 2, "block"), func(cmd *exec.Cmd) {
			cmd.Env = append(cmd.Env, "SUPERVISOR="+cmd.Path)
			cmd.Path, cmd.Args = bash, []string{"bash", "--norc", "--noprofile", "--noediting", "-i"}
		})
		_, err := io.WriteString(keys, "$SUPERVISOR\n")
		require.NoError(t, err)
		p.Stdout.Await(t, func(text string) bool { return len(ttyPids(text)) == 2 })
		_, err = io.WriteString(keys, "echo for the shell | tr a-z A-Z\n")
		require.NoError(t, err)
		p.Stdout.Await(t, func(text string) bool { return strings.Contains(text, "tr a-z") })
		require.NoError(t, sys.Kill(ttyPids(p.Stdout.String())[0], syscall.SIGKILL))
		p.Stdout.Await(t, func(text string) bool { return strings.Contains(text, "FOR THE SHELL") })
	})
}

// The input is for one rank, whichever it is, or for all.
func TestWhoReads(t *testing.T) {
	text := strings.Repeat("0123456789abcde\n", 10_000) // more than a pipe takes
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		for to, times := range map[int]int{0: 1, 2: 1, -1: 3} {
			j := ranks(btl, 3, "cat")
			j.Apps = append(j.Apps, App{Program: "/bin/true", N: 1}) // reads nothing
			j.Stdin, j.StdinTo = strings.NewReader(text), to
			out := run(t, j)
			require.NoError(t, out.err)
			require.Zero(t, out.Code, out.stderr)
			require.Equal(t, strings.Repeat(text, times), out.stdout)
		}
		j := ranks(btl, 3, "cat")
		j.StdinTo = 3
		require.ErrorContains(t, run(t, j).err, "input for rank 3: the ranks of the job are 0 to 2")
	})
}

// Ctrl-C reaches the ranks once, although they are not in the foreground.
func TestInterruptFromTerminal(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		p, keys := startAtTerminal(t, ranks(btl, 2, "block"))
		p.Stdout.Await(t, func(text string) bool { return strings.Count(text, "pgid") == 2 })
		_, err := io.WriteString(keys, "\x03")
		require.NoError(t, err)
		require.Equal(t, 130, p.Code())
		require.NotContains(t, p.Stdout.String(), "pvasrun:")
	})
}

// Under a shell with job control a job is what any pipeline is: Ctrl-Z pauses all
// of it, bg lets it go on without the terminal, fg gives it the terminal back, and
// kill ends it.
func TestJobControl(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash, for its job control, is not installed")
	}
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		p, keys := startAtTerminalWith(t, ranks(btl, 2, "listen"), func(cmd *exec.Cmd) {
			cmd.Env = append(cmd.Env, "SUPERVISOR="+cmd.Path, "PS1=> ")
			cmd.Path, cmd.Args = bash, []string{"bash", "--norc", "--noprofile", "--noediting", "-i"}
		})
		typed := func(text string) {
			_, err := io.WriteString(keys, text)
			require.NoError(t, err)
		}
		shown := func(text string, times int) {
			t.Helper()
			p.Stdout.Await(t, func(all string) bool { return strings.Count(all, text) >= times })
		}
		stopped := func(pids []int, want bool) {
			t.Helper()
			for _, pid := range pids {
				require.Eventually(t, func() bool { return isStopped(pid) == want }, 20*time.Second, time.Millisecond)
			}
		}
		typed("$SUPERVISOR\n")
		shown("pgid", 2)
		pids := ttyPids(p.Stdout.String())
		typed("first\n")
		shown("heard first", 1)

		typed("\x1a")
		shown("Stopped", 1)
		stopped(pids, true)
		typed("bg\n")
		stopped(pids, false)
		typed("echo for the shell | tr a-z A-Z\n")
		shown("FOR THE SHELL", 1)
		typed("jobs\n")
		shown("Running", 1)
		typed("fg\n")
		typed("second\n")
		shown("heard second", 1)
		stopped(pids, false)

		typed("\x1a")
		shown("Stopped", 2)
		stopped(pids, true)
		typed("fg\n")
		stopped(pids, false)
		typed("third\n")
		shown("heard third", 1)
		typed("\x1a")
		shown("Stopped", 3)
		typed("kill %1\n")
		launchertest.RequireGone(t, pids)
		require.NotContains(t, p.Stdout.String(), "heard echo")
	})
}

// ttyPids is launchertest.PidsIn for text that a terminal has passed on.
func ttyPids(text string) []int { return launchertest.PidsIn(strings.ReplaceAll(text, "\r", "")) }

func isStopped(pid int) bool {
	p, _ := processes.Find(pid)
	return p.State == 'T'
}

// A stopped host answers nothing, and must not keep a job from ending.
func TestStoppedHost(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		p := startPvasrun(t, ranks(btl, 3, "block"), func(*exec.Cmd) {})
		pids, host := p.AwaitRanks(3), p.Child(host.Name)
		require.NoError(t, sys.Kill(host, syscall.SIGSTOP))
		require.NoError(t, sys.Kill(pids[1], syscall.SIGKILL))
		require.Equal(t, 137, p.Code())
		launchertest.RequireGone(t, append(pids, host))
	})
}

// With a reader of the output that has stopped reading, an interrupt ends the
// ranks and the next one the wait for the reader.
func TestBlockedOutput(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		signals := make(chan os.Signal)
		j := ranks(btl, 2, "flood")
		j.Stdout, j.Signals = w, signals
		done := make(chan outcome, 1)
		go func() {
			result, err := Run(t.Context(), j)
			done <- outcome{Result: result, err: err}
		}()
		first := make([]byte, 4)
		_, err = io.ReadFull(r, first) // the ranks run
		require.NoError(t, err)
		var out outcome
		for ended := false; !ended; {
			select {
			case signals <- syscall.SIGINT:
			case out = <-done:
				ended = true
			case <-time.After(time.Minute):
				t.Fatal("the job hung")
			}
		}
		require.NoError(t, out.err)
		require.Equal(t, 130, out.Code)
		require.NoError(t, r.Close())
		require.NoError(t, w.Close())
		require.Empty(t, host.Children(os.Getpid()))
	})
}
