package cluster

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/launchertest"
)

// here starts agents on this machine, whatever the name of the host.
var here = []string{"sh", "-c", `exec sh -c "exec $1"`}

// twoNodes are a and b.
func twoNodes() Nodes {
	return Nodes{Hosts: []Host{{"a", 2}, {"b", 2}}, Shell: here, Timeout: 20 * time.Second}
}

func sorted(text string) []string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(lines)
	return lines
}

func TestNodes(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		out := runNodes(t, ranks(btl, 4, "sh", "echo rank $PVAS_RANK of $PVAS_SIZE"), twoNodes())
		require.NoError(t, out.err)
		require.Zero(t, out.Code)
		require.Equal(t, btl, out.BTL.String())
		require.Equal(t, []string{"rank 0 of 4", "rank 1 of 4", "rank 2 of 4", "rank 3 of 4"}, sorted(out.stdout))
		require.Empty(t, out.stderr)
	})
}

// Programs of several apps lie where their ranks are, and have their own environment.
func TestNodesAndPrograms(t *testing.T) {
	t.Setenv("OF_THE_LEADER", "yes")
	j := ranks("sm", 3, "sh", "echo first $PVAS_RANK $OF_THE_LEADER $MINE")
	j.Apps[0].Env = []string{"MINE=1"}
	j.Apps = append(j.Apps, launcher.App{Program: launchertest.RanksProgram, Args: []string{"pwd"}, N: 1, Dir: "/"})
	for _, preload := range []bool{false, true} {
		n := twoNodes()
		n.Preload = preload
		out := runNodes(t, j, n)
		require.NoError(t, out.err)
		require.Equal(t, []string{"/ /", "first 0 yes 1", "first 1 yes 1", "first 2 yes 1"}, sorted(out.stdout))
	}
}

func TestNodesAndOneRankFails(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		out := runNodes(t, ranks(btl, 4, "-only", "3", "exit", "7"), twoNodes())
		require.NoError(t, out.err)
		require.Equal(t, 7, out.Code)
		require.Equal(t, 3, out.Failure.Rank)
		require.Regexp(t,
			regexp.MustCompile(
				`^pvasrun: rank 3 \(pid \d+, .*ranks\) on b exited with code 7; ending the other (rank|[23] ranks)\n$`),
			out.stderr)
	})
}

func TestNodesAndTimeout(t *testing.T) {
	for _, placed := range []string{"aabb", "abab"} {
		n := twoNodes()
		n.ByNode = placed == "abab"
		j := ranks("sm", 4, "stubborn")
		out := runTimedOut(t, &j, func() outcome { return runNodes(t, j, n) },
			`(?s:.*has not called Init){4}(?s:.*): ending 4 ranks\n`)
		require.Equal(t, 1, strings.Count(out.stderr, "what the ranks do:"))
		for rank, node := range placed {
			require.Regexp(t, fmt.Sprintf(`(?m)^ +%d +%c +\d+ +has not called Init: .*ranks$`, rank, node), out.stderr)
		}
	}
}

func TestNodesAndOutput(t *testing.T) {
	const each = 3 << 20 // more than a window
	j := ranks("sm", 4, "blob", strconv.Itoa(each))
	out := runNodes(t, j, twoNodes())
	require.NoError(t, out.err)
	require.Len(t, out.stdout, 4*each)

	j = ranks("sm", 4, "say", "x\n")
	j.Output.Tag()
	out = runNodes(t, j, twoNodes())
	require.Equal(t, []string{"[0]<stdout>: x", "[1]<stdout>: x", "[2]<stdout>: x", "[3]<stdout>: x"},
		sorted(out.stdout))
	require.Equal(t, []string{"[0]<stderr>: x", "[1]<stderr>: x", "[2]<stderr>: x", "[3]<stderr>: x"},
		sorted(out.stderr))

	j.Output = launcher.Output{}
	dir := t.TempDir()
	j.Output.GoTo(dir)
	require.Empty(t, runNodes(t, j, twoNodes()).stdout)
	for rank := range 4 {
		text, err := os.ReadFile(fmt.Sprintf("%s/rank.%d.stdout", dir, rank))
		require.NoError(t, err)
		require.Equal(t, "x\n", string(text))
	}
}

func TestNodesAndInput(t *testing.T) {
	near, far, err := os.Pipe()
	require.NoError(t, err)
	defer near.Close()
	text := strings.Repeat("0123456789abcde\n", 100_000) + "N = " // more than a window, and a prompt
	go far.WriteString(text)
	j := ranks("sm", 4, "cat")
	shown := &launchertest.Reader{Text: "N = ", Then: func() { far.Close() }}
	j.Stdin, j.Stdout = near, shown
	require.NoError(t, runNodes(t, j, twoNodes()).err)
	require.Equal(t, text, shown.String())
}

// The input is for a rank of any node, or for all.
func TestNodesAndWhoReads(t *testing.T) {
	text := strings.Repeat("0123456789abcde\n", 20_000)
	for to, times := range map[int]int{3: 1, -1: 4} {
		j := ranks("sm", 4, "cat")
		j.Stdin, j.StdinTo = strings.NewReader(text), to
		out := runNodes(t, j, twoNodes())
		require.NoError(t, out.err)
		require.Equal(t, strings.Repeat(text, times), out.stdout)
	}
}

// A rank that handles no signal is ended by it: agents do not hand on what they ignore.
func TestNodesAndSignals(t *testing.T) {
	for _, args := range [][]string{{"polite", "5"}, {"block"}} {
		t.Run(args[0], func(t *testing.T) {
			signals := make(chan os.Signal, 1)
			j := ranks("sm", 4, args...)
			j.Signals = signals
			j.Stdout = &awaitRanks{n: 4, f: func() { signals <- syscall.SIGINT }}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			result, err := Run(ctx, j, twoNodes())
			require.NoError(t, err)
			require.Equal(t, fate.CodeSignal+int(syscall.SIGINT), result.Code)
		})
	}
}

// srun passes on whole lines only.
func TestNodesByLines(t *testing.T) {
	n := twoNodes()
	n.Shell = []string{"sh", "-c", `sh -c "exec $1" | LC_ALL=C sed -u ""`}
	out := runNodes(t, ranks("sm", 4, "sh", "echo rank $PVAS_RANK"), n)
	require.NoError(t, out.err)
	require.Equal(t, []string{"rank 0", "rank 1", "rank 2", "rank 3"}, sorted(out.stdout))
}

func TestNodesThatDoNotStart(t *testing.T) {
	for name, c := range map[string]struct {
		shell []string
		says  string
	}{
		"no such command": {[]string{"/no/such/command"}, "no such file"},
		"it fails": {[]string{"sh", "-c", "echo permission denied >&2; exit 255"},
			`: start pvasrun there: sh: exit status 255: permission denied`},
		"it says nothing": {[]string{"true"}, ": start pvasrun there: its agent has ended"},
		"a banner":        {[]string{"sh", "-c", "echo Welcome"}, "Welcome"},
		"it says much": {[]string{"sh", "-c", "yes"},
			"what answers is no pvasrun: look at what a login there runs, and at --rsh: ...; y; y"},
		"colours":      {[]string{"sh", "-c", `printf '\033[31mRED\n'`}, ": ?[31mRED"},
		"lines of ssh": {[]string{"sh", "-c", `printf 'one\r\ntwo\r\n'`}, ": one; two"},
		"other version": {[]string{"sh", "-c", `printf '\0pvasrun agent\n0001\n'; exec cat >/dev/null`},
			"another version of the protocol: install the same version on all nodes (its version is 1, this one's"},
		"it had no version": {[]string{"sh", "-c", `printf '\0pvasrun agent\n'; head -c 9`},
			"on all nodes (its version is an older one, which it does not tell, this one's is"},
	} {
		t.Run(name, func(t *testing.T) {
			n := twoNodes()
			n.Shell = c.shell
			out := runNodes(t, ranks("sm", 4, "true"), n)
			require.ErrorAs(t, out.err, new(*NodeError))
			require.ErrorContains(t, out.err, c.says)
		})
	}
	t.Run("banner before the agent", func(t *testing.T) {
		n := twoNodes()
		n.Shell = []string{"sh", "-c", `echo Welcome; printf '\0'; exec sh -c "exec $1"`}
		out := runNodes(t, ranks("sm", 4, "true"), n)
		require.NoError(t, out.err)
		require.Zero(t, out.Code)
	})
	t.Run("directory", func(t *testing.T) {
		dir := t.TempDir()
		t.Chdir(dir)
		n := twoNodes()
		n.Shell = []string{"sh", "-c", `rmdir "` + dir + `"; exec sh -c "exec $1"`}
		out := runNodes(t, ranks("sm", 4, "true"), n)
		require.ErrorContains(t, out.err, "working directory")
	})
	t.Run("program", func(t *testing.T) {
		j := ranks("sm", 4, "true")
		copied := t.TempDir() + "/ranks"
		program, err := os.ReadFile(launchertest.RanksProgram)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(copied, program, 0o755))
		j.Apps[0].Program = copied
		n := twoNodes()
		n.Shell = []string{"sh", "-c", `rm -f "` + copied + `"; exec sh -c "exec $1"`}
		out := runNodes(t, j, n)
		require.ErrorContains(t, out.err, "no such file")
		require.Equal(t, fate.CodeNotFound, launcher.ExitCode(out.err))
	})
}

// agents finds the agents that this process has started.
func agents(t *testing.T) []int {
	var pids []int
	list := host.Children(os.Getpid())
	for _, shell := range list {
		list = append(list, host.Children(shell)...)
	}
	for _, pid := range list {
		if args := processes.Args(pid); len(args) > 1 && args[len(args)-1] == "node" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// awaitRanks runs f when so many ranks have announced themselves.
type awaitRanks struct {
	bytes.Buffer
	n int
	f func()
}

func (w *awaitRanks) Write(b []byte) (int, error) {
	before := len(launchertest.PidsIn(w.String()))
	n, err := w.Buffer.Write(b)
	if before < w.n && len(launchertest.PidsIn(w.String())) >= w.n {
		w.f()
	}
	return n, err
}

// An agent that dies, or is silent, is a node that is lost: the others end, and so do the
// ranks there, if their node is there.
func TestNodeIsLost(t *testing.T) {
	const killed = `its pvasrun was killed by signal 9 \(killed, SIGKILL\), which ends the 2 ranks there`
	for name, sig := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "silent": syscall.SIGSTOP} {
		want := map[bool]string{true: killed, false: `nothing was heard from it in time \(3s\)`}[sig == syscall.SIGKILL]
		t.Run(name, func(t *testing.T) {
			launchertest.EachBTL(t, func(t *testing.T, btl string) {
				n := twoNodes()
				if sig == syscall.SIGSTOP {
					n.Timeout = 3 * time.Second // also on a busy machine no other node is silent for as long
				}
				var stderr bytes.Buffer
				j := ranks(btl, 4, "block")
				out := &awaitRanks{n: 4, f: func() {
					pids := agents(t)
					require.Len(t, pids, 2)
					require.NoError(t, sys.Kill(pids[1], sig))
				}}
				j.Stdout, j.Stderr = out, &stderr
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				result, err := Run(ctx, j, n)
				require.NoError(t, err)
				require.Equal(t, fate.CodeError, result.Code)
				require.Regexp(t, `pvasrun: node [ab] is lost: `+want+`; ending the other 2 ranks\n`, stderr.String())
				launchertest.RequireGone(t, launchertest.PidsIn(out.String()))
			})
		})
	}
}

// An agent that the leader does not reach any more, but that reaches the leader, says nothing of
// the ranks that it has killed: its node is lost, and no rank was killed.
func TestNodeIsLostInOneDirection(t *testing.T) {
	dir := t.TempDir()
	n := twoNodes()
	n.Shell = []string{"sh", "-c", `sh -c 'echo $$ > ` + dir + `/'$0'; exec cat' | sh -c "exec $1"`}
	var stderr bytes.Buffer
	j := ranks("sm", 4, "block")
	out := &awaitRanks{n: 4, f: func() {
		text, err := os.ReadFile(dir + "/b")
		require.NoError(t, err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		require.NoError(t, err)
		require.NoError(t, sys.Kill(pid, syscall.SIGKILL))
	}}
	j.Stdout, j.Stderr = out, &stderr
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	result, err := Run(ctx, j, n)
	require.NoError(t, err)
	require.Regexp(t, `^pvasrun: node b is lost: .*; ending the other 2 ranks\n$`, stderr.String())
	require.Equal(t, fate.CodeError, result.Code)
	launchertest.RequireGone(t, launchertest.PidsIn(out.String()))
}

// When the leader is killed, no rank is left.
func TestLeaderIsKilled(t *testing.T) {
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		n := twoNodes()
		sent := sentNodes{BTL: btl, Apps: ranks(btl, 4, "stubborn").Apps, Nodes: &n}
		p := launchertest.Start(t, sent, func(*exec.Cmd) {})
		pids := p.AwaitRanks(4)
		require.NoError(t, sys.Kill(p.Cmd.Process.Pid, syscall.SIGKILL))
		launchertest.RequireGone(t, pids)
	})
}

func TestDevices(t *testing.T) {
	node := func(network string, list ...string) *ready {
		r := &ready{Network: network}
		for i := 0; i < len(list); i += 2 {
			r.Names = append(r.Names, list[i])
			r.Addresses = append(r.Addresses, netip.MustParsePrefix(list[i+1]))
		}
		return r
	}
	a := node("x", "lo", "127.0.0.1/8", "eth0", "10.0.0.1/24", "eth1", "10.1.0.1/24", "docker0",
		"172.17.0.1/16", "eth1", "fd00::1/64")
	b := node("y", "lo", "127.0.0.1/8", "eth0", "10.0.0.2/24", "eth2", "10.1.0.2/24", "docker0",
		"172.17.0.1/16", "eth2", "fd00::2/64")
	nodes := []*ready{a, b}
	show := func(devices [][]netip.Addr) string { return fmt.Sprint(devices) }

	hosts, _ := chooseHosts(nodes, netip.Prefix{})
	// docker0 has the same address on both, and eth1 has one of the two networks already.
	require.Equal(t, "[[10.0.0.1 10.1.0.1] [10.0.0.2 10.1.0.2]]", show(furtherDevices(nodes, hosts, netip.Prefix{})))
	require.Equal(t, "[[10.0.0.1] [10.0.0.2]]",
		show(furtherDevices(nodes, hosts, netip.MustParsePrefix("10.0.0.0/24"))))

	devices, _, err := namedDevices(nodes, []string{"10.1.0.0/16", "eth0"})
	require.NoError(t, err)
	require.Equal(t, "[[10.1.0.1 10.0.0.1] [10.1.0.2 10.0.0.2]]", show(devices))
	_, bad, err := namedDevices(nodes, []string{"eth0", "eth1"})
	require.ErrorContains(t, err,
		"it has no device eth1 with an address for other nodes; it has lo 127.0.0.1/8, eth0 10.0.0.2/24")
	require.Equal(t, 1, bad)

	// The loopback reaches no other machine.
	l := leader{agents: []*remote{{name: "x", ready: a}, {name: "y", ready: b}}}
	for _, name := range []string{"lo", "127.0.0.0/8"} {
		l.nodes.Devices = []string{name}
		_, err = l.chooseAddresses(l.agents)
		require.ErrorContains(t, err, "it has no device "+name+
			" with an address for other nodes; it has eth0 10.0.0.1/24")
	}
	l.nodes.Devices = []string{"0.0.0.0/0"}
	devices, err = l.chooseAddresses(l.agents)
	require.NoError(t, err)
	require.Equal(t, "[[10.0.0.1] [10.0.0.2]]", show(devices))
	l.nodes = Nodes{Network: netip.MustParsePrefix("127.0.0.0/8")}
	_, err = l.chooseAddresses(l.agents)
	require.ErrorContains(t, err, "it has no address in 127.0.0.0/8, but [10.0.0.1/24")
	b.Network = "x"
	l.nodes = Nodes{Devices: []string{"lo"}}
	devices, err = l.chooseAddresses(l.agents)
	require.NoError(t, err, "one machine")
	require.Equal(t, "[[127.0.0.1] [127.0.0.1]]", show(devices))
	_, _, err = namedDevices(nodes, []string{"eth0", "10.0.0.0/8"})
	require.ErrorContains(t, err, "twice")
	_, _, err = namedDevices(nodes, make([]string, 9))
	require.ErrorContains(t, err, "at most 8")
}

// A rank that has ended is said to have, and those that live are asked before the first of them is ended.
func TestNodesReportOfEndedRanks(t *testing.T) {
	j := ranks("sm", 4, "sh", `[ $PVAS_RANK = 0 ] && exit 0; exec sleep 1000`)
	out := runTimedOut(t, &j, func() outcome {
		return runNodes(t, j, Nodes{Hosts: []Host{{"a", 1}, {"b", 3}}, Shell: here, Timeout: 20 * time.Second})
	},
		`(?s)  0 +a +\d+ +has ended\n(.*has not called Init){3}.*: ending 3 ranks`)
	require.NotContains(t, out.stderr, "has not been started")
}
