package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// hereAs is a command for --rsh that starts pvasrun here, whatever the host.
func hereAs(t *testing.T) string {
	path := t.TempDir() + "/rsh"
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\nexec sh -c \"exec $2\"\n"), 0o755))
	return path
}

// What starts pvasrun on a node and is not there is named with its flag.
func TestRemoteShellIsMissing(t *testing.T) {
	for _, args := range [][]string{{"true"}, {"info"}, {"bench", "barrier"}} {
		if args = append(args, "--hosts", "a,b", "--rsh", "no-such-rsh -x"); args[0] == "true" {
			args = append(args[1:], "true")
		}
		got := command(t, nil, args...)
		require.NotZero(t, got.code, args)
		require.Contains(t, got.stderr, `--rsh no-such-rsh -x: exec: "no-such-rsh": executable file not found`, args)
	}
	got := command(t, env("PATH=/nowhere"), "--hosts", "a,b", "/bin/true")
	require.NotZero(t, got.code)
	require.Contains(t, got.stderr,
		`"ssh": executable file not found in $PATH: install it, or name another program by --rsh`)
}

// Programs with all sorts of messages and collective operations check their results
// themselves. Their ranks are on nodes of different sizes.
func TestNodesRunExamples(t *testing.T) {
	rsh := hereAs(t)
	for i, c := range [][2]string{
		{"transpose", "every element is in its place"}, {"heat", "the same bits as by one alone"},
		{"dotproduct", "as by one alone"}, {"fft3d", "relative error"}, {"pi", "say that pi is 3.14"},
	} {
		name, says := c[0], c[1]
		program := programs.Build(t, "../../examples/"+name)
		for _, btl := range turn(t, i) {
			for _, hosts := range testkit.Some("a:1,b:3", "a:2,b:2", "a,b,c,d") {
				t.Run(name+"/"+btl+"/"+hosts, func(t *testing.T) {
					dir := t.TempDir()
					got := command(t, func(cmd *exec.Cmd) { cmd.Dir = dir }, "--hosts", hosts, "--rsh", rsh, "--btl",
						btl, "--check", program)
					require.Equal(t, 0, got.code, got.stderr)
					require.Contains(t, got.stdout, says)
					require.Empty(t, got.stderr)
				})
			}
		}
	}
}

func TestNodesOnTheCommandLine(t *testing.T) {
	rsh := hereAs(t)
	file := t.TempDir() + "/hosts"
	require.NoError(t, os.WriteFile(file, []byte("a slots=2\nb slots=1\n"), 0o644))
	got := command(t, nil, "--hostfile", file, "--rsh", rsh, "sh", "-c", "echo rank $PVAS_RANK")
	require.Equal(t, 0, got.code, got.stderr)
	require.Equal(t, 3, strings.Count(got.stdout, "rank "), "as many as the nodes take")
	got = command(t, nil, "--hosts", "localhost:3", "echo", "here")
	require.Equal(t, strings.Repeat("here\n", 3), got.stdout)
	require.Empty(t, got.stderr)
	got = command(t, nil, "--hosts", "localhost:2", "-n", "3", "--encrypt", "--network", "10.0.0.0/8", "echo", "here")
	require.Equal(t, strings.Repeat("here\n", 3), got.stdout)
	require.Contains(t, got.stderr, "without effect: --network, --encrypt: the job runs on this node alone")
	require.Contains(t, got.stderr, "all 3 ranks run here, though localhost is said to take 2")
	for args, says := range map[string]string{
		"--hosts a --network 10.0.0.0/33 true":      "write for example 10.1.0.0/16",
		"--pmi --dry-run true":                      "the PMI launcher has chosen the nodes",
		"--hosts a --rsh x --node-timeout 1ms true": "at least 100ms",
		"--hostfile /no/such/file true":             "no such file",
		"--devices eth0,eth1 true":                  "--devices: the job runs on this node alone",
		"--exchange wrap true":                      "--exchange: the job runs on this node alone",
		"--hosts localhost --report-devices true":   "--report-devices: the job runs on this node alone",
		"--pmi --hosts a true":                      "the PMI launcher chooses the nodes",
		"--pmi true : true":                         "one program for all ranks",
		"--hosts a:2 --rsh x -n 3 true":             "they take 2 ranks, and the job has 3",
		"--hosts a --rsh x --peer-timeout 1ms true": "--peer-timeout 1ms: it is 1s at least",
		"--hosts a --start-timeout 1ms true":        "--start-timeout 1ms: at least 1s is needed",
	} {
		got := command(t, nil, strings.Fields(args)...)
		require.Equal(t, 2, got.code, args)
		require.Contains(t, got.stderr, says, args)
	}
	got = command(t, env("PVASRUN_DEVICES=eth0", "PVASRUN_EXCHANGE=wrap", "PVASRUN_REPORT_DEVICES=1"), "-n", "1",
		"true")
	require.Equal(t, 0, got.code, got.stderr)
	got = command(t, func(cmd *exec.Cmd) { cmd.Env = slices.DeleteFunc(os.Environ(), isPMI) }, "--pmi", "true")
	require.Equal(t, 1, got.code)
	require.Contains(t, got.stderr, "start pvasrun by a PMI launcher")
	got = command(t, nil, "--hosts", "a,b", "--rsh", rsh, "--network", "127.0.0.0/8", "--devices", "lo", "true")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr,
		"--network beside --devices: the devices say which networks are used; leave --network out")
	got = command(t, nil, "--hosts", "a,b", "--rsh", rsh, "--network", "203.0.113.0/24", "true")
	require.Equal(t, 1, got.code)
	require.Contains(t, got.stderr, "it has no address in 203.0.113.0/24")
	got = command(t, nil, "--hosts", "a,b", "--rsh", rsh, "sh", "-c", "exit $PVAS_RANK")
	require.Equal(t, 1, got.code)
	require.Contains(t, got.stderr, "on b exited with code 1")
}

// With --map-by node ranks are dealt to each node in turn. Messages, programs, output and reports know where they are.
func TestMapByNode(t *testing.T) {
	rsh := hereAs(t)
	for _, model := range turn(t, 0) {
		got := command(t, nil, "--map-by", "node", "--hosts", "a:3,b:2", "--rsh", rsh, "--btl", model, "--check",
			"--stats", programs.Build(t, "../../examples/transpose"))
		require.Equal(t, 0, got.code, got.stderr)
		require.Contains(t, got.stdout, "every element is in its place")
		for rank, node := range []string{"a", "b", "a", "b", "a"} {
			require.Regexp(t, fmt.Sprintf(`(?m)^ *%d +%s +0 `, rank, node), got.stderr)
		}
		got = command(t, nil, "--map-by", "node", "--hosts", "a:3,b:3", "--rsh", rsh, "--btl", model, "-n", "3", "sh",
			"-c", "echo first $PVAS_RANK", ":", "-n", "2", "sh", "-c", "echo second $PVAS_RANK")
		require.ElementsMatch(t, []string{"first 0", "first 1", "first 2", "second 3", "second 4"},
			strings.Split(strings.TrimSpace(got.stdout), "\n"))
		got = command(t, nil, "--map-by", "node", "--hosts", "a:3,b:3", "--rsh", rsh, "--btl", model, "-n", "4", "sh",
			"-c", "test $PVAS_RANK != 3 || exit 7; sleep 60")
		require.Equal(t, 7, got.code)
		require.Regexp(t, `rank 3 .* on b exited with code 7`, got.stderr)
	}
	got := command(t, nil, "--bynode", "--hosts", "a:3,b:2", "--rsh", rsh, "--dry-run", "-n", "4", "true", ":",
		"-n", "1", "false")
	require.Regexp(t, `(?m)^a +0,2 +true`, got.stdout)
	require.Regexp(t, `(?m)^a +4 +false`, got.stdout)
	require.Regexp(t, `(?m)^b +1,3 +true`, got.stdout)
}

// A launcher that starts several pvasruns starts several jobs. The first of them says so.
func TestJobsOfAnotherLauncher(t *testing.T) {
	for _, first := range []bool{true, false} {
		rank := map[bool]string{true: "0", false: "1"}[first]
		got := command(t, env("SLURM_STEP_NUM_TASKS=2", "SLURM_PROCID="+rank), "-n", "1", "true")
		require.Equal(t, 0, got.code, got.stderr)
		require.Equal(t, first, strings.Contains(got.stderr,
			"another launcher has started 2 pvasruns (SLURM_STEP_NUM_TASKS=2), and each runs a job of its own"))
	}
}

// All ranks run in the directory that --wdir names, also where the node has not that in which pvasrun was started.
func TestWorkingDirectoryOfNodes(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	rsh := t.TempDir() + "/rsh"
	script := fmt.Appendf(nil, "#!/bin/sh\nrm -rf %s\ncd /; exec sh -c \"exec $2\"\n", here)
	require.NoError(t, os.WriteFile(rsh, script, 0o755))
	in := func(cmd *exec.Cmd) { cmd.Dir = here }
	for _, model := range turn(t, 1) {
		require.NoError(t, os.MkdirAll(here, 0o755))
		got := command(t, in, "--btl", model, "--hosts", "a,b", "--rsh", rsh, "--wdir", there, "pwd")
		require.Equal(t, 0, got.code, got.stderr)
		require.Equal(t, strings.Repeat(there+"\n", 2), got.stdout)
	}
	require.NoError(t, os.MkdirAll(here, 0o755))
	got := command(t, in, "--hosts", "a,b", "--rsh", rsh, "pwd")
	require.Equal(t, 1, got.code)
	require.Contains(t, got.stderr, "or give --wdir DIR with one that is")
}

// A node that does not answer has the time that --start-timeout says. The shell of its command keeps the output open:
// an output that ends is the end of the agent.
func TestStartTimeout(t *testing.T) {
	rsh := t.TempDir() + "/rsh"
	require.NoError(t, os.WriteFile(rsh, []byte("#!/bin/sh\nprintf 'Password: '; cat >/dev/null; :\n"), 0o755))
	got := command(t, nil, "--start-timeout", "1", "--hosts", "a,b", "--rsh", rsh, "true")
	require.Equal(t, 1, got.code)
	require.Contains(t, got.stderr,
		"it has not answered in time (1s): --start-timeout gives it more; it has said: Password:")
}

// Another build of pvasrun on a node is a remark, another protocol an error.
func TestOtherBuildOnANode(t *testing.T) {
	other := t.TempDir() + "/pvasrun"
	build := exec.Command("go", "build", "-buildmode=pie", "-ldflags=-s", "-o", other, ".")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	own := strings.Fields(command(t, nil, "--version").stdout)[3]
	rsh := t.TempDir() + "/rsh"
	script := fmt.Sprintf("#!/bin/sh\n[ $1 = b ] && exec %s node\nexec sh -c \"exec $2\"\n", other)
	require.NoError(t, os.WriteFile(rsh, []byte(script), 0o755))
	got := command(t, nil, "--hosts", "a,b", "--rsh", rsh, "true")
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `^pvasrun: another build of pvasrun than this one \(`+own+`\) is on b \(\S{10}\): `, got.stderr)
	got = command(t, nil, "info", "--hosts", "a,b", "--rsh", rsh)
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `(?m)^b .*another build of pvasrun: \S{10}(;|$)`, got.stdout)
	require.NotRegexp(t, `(?m)^a .*another build`, got.stdout)
}

func isPMI(kv string) bool { return strings.HasPrefix(kv, "PMI") }

// What ranks of all nodes have counted is printed by rank, by node and in all.
func TestNodesAndStatistics(t *testing.T) {
	program := programs.Build(t, "../../examples/pi")
	got := command(t, nil, "--hosts", "a:2,b:1", "--rsh", hereAs(t), "--stats", program)
	require.Equal(t, 0, got.code, got.stderr)
	for _, row := range []string{"0", "1", "2", "a", "b", "all"} {
		require.Regexp(t, `(?m)^ *`+row+` +\d+/\d+ `, got.stderr)
	}
	require.Regexp(t, `(?m)^  reduce +levels +3$|^  allreduce +levels +3$`, got.stderr)
	for rank, node := range []string{"a", "a", "b"} {
		row := regexp.MustCompile(fmt.Sprintf(`(?m)^ *%d +%s +0 +(\d+) +(\d+) +0 +[\d.]+ +\S+ +\S+ +0 *$`, rank, node))
		require.Regexp(t, row, got.stderr, "of the network device")
	}
	require.Regexp(t, `(?m)^ *2 +b +0 +[1-9]`, got.stderr, "it has sent")
}

// info asks the nodes, and says which cannot take ranks, and why.
func TestInfoOfNodes(t *testing.T) {
	got := command(t, nil, "info", "--hosts", "a,b:2", "--rsh", hereAs(t))
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `(?m)^a +\S+ +[\d.]+m?s +\d+ +\d+ +\d`, got.stdout)
	require.Regexp(t, `(?m)^b +`, got.stdout)
	require.NotContains(t, got.stdout, "its clock differs")
	got = command(t, nil, "info", "--json", "--hosts", "a", "--rsh", "false")
	require.Equal(t, 1, got.code)
	require.Contains(t, got.stdout, `"error":"false: exit status 1"`)
}

// Nonblocking operations over nodes go on while the ranks in the middle compute. Only operators of the program do not.
func TestNodesAreUnattended(t *testing.T) {
	rsh := hereAs(t)
	program := programs.Build(t, "./testdata/unattended")
	for _, btl := range turn(t, 0) {
		for _, hosts := range testkit.Some("a:1,b:2", "a:1,b:1,c:1", "a:2,b:1,c:2") {
			t.Run(btl+"/"+hosts, func(t *testing.T) {
				got := command(t, nil, "--hosts", hosts, "--rsh", rsh, "--btl", btl, "--coll", "ibcast=chain", program,
					t.TempDir())
				require.Equal(t, 0, got.code, got.stderr)
				require.Empty(t, got.stderr)
			})
		}
	}
}
