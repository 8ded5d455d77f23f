package programs

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// oneJob is one of two jobs, which meets the other at a port.
type oneJob struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// startJob starts jobs.c in a job of its own, or alone if there are no flags.
func startJob(t *testing.T, flags []string, words ...string) *oneJob {
	args := append([]string{build(t, "jobs.c")}, words...)
	if flags != nil {
		args = append(append([]string{tool("mpiexec")}, flags...), args...)
	}
	j := &oneJob{t: t, cmd: exec.Command(args[0], args[1:]...)}
	j.cmd.Stderr, j.cmd.Env = &j.stderr, append(os.Environ(), noPath...)
	j.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var err error
	j.in, err = j.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := j.cmd.StdoutPipe()
	require.NoError(t, err)
	j.out = bufio.NewReader(out)
	require.NoError(t, j.cmd.Start())
	t.Cleanup(func() { _ = j.cmd.Process.Kill(); _ = j.cmd.Wait() })
	return j
}

func (j *oneJob) line() string {
	line, err := j.out.ReadString('\n')
	if err != nil {
		_ = j.cmd.Wait()
		require.NoError(j.t, err, j.stderr.String())
	}
	return strings.TrimSpace(line)
}

func (j *oneJob) ends(code int) string {
	rest, err := io.ReadAll(j.out)
	require.NoError(j.t, err)
	_ = j.cmd.Wait()
	require.Equal(j.t, code, j.cmd.ProcessState.ExitCode(), "%s%s", rest, j.stderr.String())
	return string(rest)
}

var (
	two   = []string{"-n", "2"}
	three = []string{"-n", "3"}
)

// overNodes are two jobs of which one runs over several nodes, or both do.
func overNodes(t *testing.T) (ways [][2][]string) {
	rsh := rshHere(t)
	few := []string{"--hosts", "a:1,b:1", "--rsh", rsh}
	many := []string{"--hosts", "c:1,b:2", "--rsh", rsh}
	return [][2][]string{{few, many}, {few, three}, {two, many}}
}

// Two jobs talk by messages and collective operations, in all task models, on a node and over several.
func TestTwoJobs(t *testing.T) {
	sm := []string{"--btl", "sm"}
	nodes := overNodes(t)
	for name, flags := range map[string][2][]string{
		"pvas": {two, three}, "sm": {append(sm, two...), append(sm, three...)}, "mixed": {three, append(sm, two...)},
		"alone": {nil, three}, "both alone": {nil, nil}, "over nodes": nodes[0], "over nodes, and one": nodes[1],
		"one, and over nodes": nodes[2], "over nodes, sm": {append(sm, nodes[0][0]...), append(sm, nodes[0][1]...)},
	} {
		t.Run(name, func(t *testing.T) {
			accepts := startJob(t, flags[0], "accept", "talk")
			connects := startJob(t, flags[1], "connect", "talk", accepts.line())
			connects.ends(0)
			accepts.ends(0)
			require.Empty(t, accepts.stderr.String()+connects.stderr.String())
		})
	}
}

// Two threads of a rank accept at one port at the same time, and two of another one connect.
func TestTwoThreadsMeet(t *testing.T) {
	for _, flags := range append(overNodes(t), [2][]string{}, [2][]string{two, three}) {
		accepts := startJob(t, flags[0], "accept", "threads")
		connects := startJob(t, flags[1], "connect", "threads", accepts.line())
		connects.ends(0)
		accepts.ends(0)
	}
}

// A published name is found from another job, and a port serves again. Nobody else can publish the name meanwhile.
func TestNamesOfAnotherJob(t *testing.T) {
	for _, flags := range append(overNodes(t), [2][]string{two, three}) {
		service := t.TempDir()
		accepts := startJob(t, flags[0], "accept", "named", service)
		accepts.line()
		second := startJob(t, flags[0], "accept", "named", service)
		second.ends(1)
		require.Contains(t, second.stderr.String(), "another job has published")
		startJob(t, flags[1], "connect", "named", service).ends(0)
		accepts.ends(0)
		late := startJob(t, flags[1], "connect", "named", service)
		late.ends(1)
		require.Contains(t, late.stderr.String(), "MPI_ERR_NAME")
	}
}

// Who connects gives up after the time of its hint. The port serves later requests.
func TestConnectIsLate(t *testing.T) {
	for _, flags := range append(overNodes(t), [2][]string{two, three}, [2][]string{}) {
		accepts := startJob(t, flags[0], "accept", "late")
		connects := startJob(t, flags[1], "connect", "late", accepts.line())
		require.Equal(t, "late", connects.line())
		for _, j := range []*oneJob{accepts, connects} {
			_, err := io.WriteString(j.in, "go on\n")
			require.NoError(t, err)
		}
		connects.ends(0)
		accepts.ends(0)
	}
}

// Within a job, too. Nothing of that is a deadlock, nor is an accept to which nobody connects. A rank may give up at
// any moment: it is accepted, or it has withdrawn.
func TestConnectInVain(t *testing.T) {
	program := build(t, "connects.c")
	eachWay(t, func(t *testing.T, w way) {
		for _, how := range []string{"in vain", "at any moment"} {
			w.ends(t, 3, program, how)
		}
	})
	_, stderr, code := run(t, nil, tool("mpiexec"), "-n", "2", "--timeout", "5", program, "accepts alone")
	require.Equal(t, 124, code, stderr) // another job may connect
	require.Contains(t, stderr, "  in MPI_Comm_accept (main) for ")
}

// Processes of two jobs join by a socket.
func TestJoinOfAnotherJob(t *testing.T) {
	for _, flags := range append(overNodes(t), [2][]string{two, three}, [2][]string{nil, three}) {
		accepts := startJob(t, flags[0], "accept", "join")
		startJob(t, flags[1], "connect", "join", accepts.line()).ends(0)
		accepts.ends(0)
	}
}

// A socket that is closed is an error of MPI_Comm_join.
func TestJoinOfAClosedSocket(t *testing.T) {
	for _, flags := range [][]string{two, nil} {
		startJob(t, flags, "accept", "broken").ends(0)
	}
}

// The end of a job ends the waits of the other, with an error that names it.
func TestOtherJobIsKilled(t *testing.T) {
	for i, flags := range append(overNodes(t), [2][]string{two, three}) {
		for _, kind := range []string{"recv", "any", "barrier", "disconnect"} {
			t.Run(fmt.Sprint(kind, i), func(t *testing.T) {
				accepts := startJob(t, flags[0], "accept", kind)
				connects := startJob(t, flags[1], "connect", kind, accepts.line())
				require.Equal(t, "there", connects.line())
				require.NoError(t, connects.cmd.Process.Kill())
				connects.ends(-1)
				require.Contains(t, accepts.ends(0), "of another job (that of pvasrun ")
			})
		}
	}
}

// Who has asked at a port is told that it is closed, or that its job has ended.
func TestPortOfAnotherJobIsClosed(t *testing.T) {
	for _, flags := range append(overNodes(t), [2][]string{two, three}) {
		accepts := startJob(t, flags[0], "accept", "closed")
		port := accepts.line()
		connects := startJob(t, flags[1], "connect", "closed", port)
		require.Equal(t, "asks", connects.line())
		_, err := io.WriteString(accepts.in, "\n")
		require.NoError(t, err)
		connects.ends(0)
		accepts.ends(0)
		startJob(t, flags[1], "connect", "closed", port).ends(0)

		accepts = startJob(t, flags[0], "accept", "closed")
		connects = startJob(t, flags[1], "connect", "closed", accepts.line())
		require.Equal(t, "asks", connects.line())
		require.NoError(t, accepts.cmd.Process.Kill())
		connects.ends(0)
	}
}

// Threads that accept at a port are told that it is closed.
func TestPortIsClosedBesideAccepts(t *testing.T) {
	for _, flags := range [][]string{nil, append([]string{"--timeout", "60s"}, two...)} {
		startJob(t, flags, "accept", "closing").ends(0)
	}
}

// A rank that cannot be reached by the other job is an error for all ranks of both, which says why.
func TestRankOfAnotherJobIsNotReached(t *testing.T) {
	accepts := startJob(t, two, "accept", "unreached")
	connects := startJob(t, three, "connect", "unreached", accepts.line())
	require.Equal(t, 3, strings.Count(connects.ends(0), "a rank of the other group cannot join the groups"))
	failed := accepts.ends(0)
	require.Contains(t, failed, "to reach other jobs: ")
	require.Contains(t, failed, "another rank of this group cannot join the groups")
}

// Jobs that have sent each other what nobody receives end nevertheless.
func TestJobsLeaveMessages(t *testing.T) {
	for _, flags := range append(overNodes(t), [2][]string{two, three}) {
		accepts := startJob(t, flags[0], "accept", "left")
		connects := startJob(t, append([]string{"--deadlock=off"}, flags[1]...), "connect", "left", accepts.line())
		connects.ends(0)
		accepts.ends(0)
	}
}

// Jobs whose collective calls would not fit each other are not connected.
func TestJobsThatDoNotFit(t *testing.T) {
	accepts := startJob(t, two, "accept", "talk")
	port := accepts.line()
	for _, c := range []struct{ flag, says string }{{"--check", "start both alike"},
		{"--universe=257", "for 256 at most: use fewer ranks, and pvasrun --universe N with a smaller N"}} {
		connects := startJob(t, append([]string{c.flag}, three...), "connect", "talk", port)
		connects.ends(1)
		require.Contains(t, connects.stderr.String(), c.says)
	}
}

// To wait for another job is no deadlock. The report names the call.
func TestAcceptIsNoDeadlock(t *testing.T) {
	t.Parallel() // it waits
	for kind, call := range map[string]string{"talk": "in MPI_Comm_accept", "silent": "in MPI_Comm_join"} {
		flags := append([]string{"--deadlock-after", "50ms", "--timeout", "5s"}, two...)
		accepts := startJob(t, flags, "accept", kind)
		accepts.ends(124)
		require.NotContains(t, accepts.stderr.String(), "deadlock")
		require.Contains(t, accepts.stderr.String(), call)
	}
	nodes := []string{"--hosts", "a:1,b:1", "--rsh", rshHere(t)}
	for _, flags := range [][]string{two, nodes} {
		accepts := startJob(t, flags, "accept", "busy")
		connects := startJob(t, append([]string{"--deadlock-after", "50ms", "--timeout", "3s"}, flags...), "connect",
			"busy", accepts.line())
		connects.ends(124)
		require.NotContains(t, connects.stderr.String(), "deadlock")
		require.Contains(t, connects.stderr.String(), "in MPI_Comm_connect")
	}
}

// Where no other job can connect it is one, and the report says why.
func TestAcceptInAJobThatNobodyReaches(t *testing.T) {
	flags := []string{"--deadlock-after", "50ms", "--trace", filepath.Join(t.TempDir(), "trace")}
	accepts := startJob(t, append(flags, two...), "accept", "talk")
	_, err := io.ReadAll(accepts.out)
	require.NoError(t, err)
	require.Error(t, accepts.cmd.Wait())
	require.Contains(t, accepts.stderr.String(), "deadlock")
	require.Contains(t, accepts.stderr.String(), "no other job can connect: ")
	require.Contains(t, accepts.stderr.String(), "--trace")
}
