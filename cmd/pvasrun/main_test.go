package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/memory"
	"github.com/gopvas/gopvas/internal/node/machine"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/pvas"
)

// pvasrun is the command under test, built as PIE, in a place that any user can
// reach; programs are what it runs.
var (
	pvasrun  string
	programs testkit.Programs
)

func TestMain(m *testing.M) {
	machine.ProbeMain() // tests probe this machine too
	os.Exit(runTests(m))
}

// testsRun is set where tests run. A test that starts a job by execute has its own program begin again as pvasrun's
// parts. These would run all tests, and so on.
const testsRun = "GOPVAS_TESTS_RUN"

func runTests(m *testing.M) int {
	testkit.TakeSignals()
	if os.Getenv(testsRun) != "" {
		fmt.Println("a test has started a job in its own process")
		return 1
	}
	if err := os.Setenv(testsRun, "1"); err != nil {
		fmt.Println(err)
		return 1
	}
	dir, err := os.MkdirTemp("", "pvasrun-test")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Chmod(dir, 0o755); err != nil {
		fmt.Println(err)
		return 1
	}
	if err := os.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config")); err != nil { // no profile of whoever tests
		fmt.Println(err)
		return 1
	}
	pvasrun, programs.Dir = filepath.Join(dir, "pvasrun"), dir
	if out, err := exec.Command("go", "build", "-buildmode=pie", "-o", pvasrun, ".").CombinedOutput(); err != nil {
		fmt.Printf("build pvasrun: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// finished is what a command has left.
type finished struct {
	stdout, stderr string
	code           int
}

// command runs pvasrun; edit may change how.
func command(t *testing.T, edit func(*exec.Cmd), args ...string) finished {
	t.Helper()
	cmd := exec.Command(pvasrun, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if edit != nil {
		edit(cmd)
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return finished{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func env(list ...string) func(*exec.Cmd) {
	return func(cmd *exec.Cmd) { cmd.Env = append(os.Environ(), list...) }
}

// models are the task models that can be tested here.
func models(t *testing.T) []string {
	if err := pvas.Supported(); err != nil {
		require.Empty(t, os.Getenv("CI"), "CI must support one address space: %v", err)
		return []string{"sm"}
	}
	return []string{"pvas", "sm"}
}

// turn returns the task model whose turn it is as i grows, or all of them for a release.
func turn(t *testing.T, i int) []string { return testkit.Turn(i, models(t)...) }

func TestCommandLine(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, []byte("text"), 0o644))
	for _, c := range []struct {
		args           []string
		code           int
		stdout, stderr string // substrings
	}{
		{[]string{"--version"}, 0, "pvasrun ", ""},
		{[]string{"--help"}, 0, "$PVASRUN_TAG_OUTPUT", ""},
		{[]string{"version"}, 0, "pvasrun ", ""},
		{[]string{"man"}, 0, ".TH pvasrun 1", ""},
		{[]string{"man"}, 0, `\fB\-\-peer-timeout\fR`, ""},
		{[]string{"help"}, 0, "$PVASRUN_TAG_OUTPUT", ""},
		{[]string{"help", "bench", "touch"}, 0, "$PVASRUN_BENCH_SIZE", ""},
		{[]string{"help", "help"}, 0, "$PVASRUN_TAG_OUTPUT", ""},
		{[]string{"help", "bogus"}, 2, "", `help: there is no command "bogus"`},
		{[]string{"help", "node"}, 2, "", `help: there is no command "node"`},
		{[]string{"bnech", "touch"}, 127, "", "there is a command bench: pvasrun bench --help"},
		{[]string{"--tiemout", "3", "true"}, 2, "", "there is no flag --tiemout: is --timeout meant?"},
		{[]string{"--oversubscrib", "true"}, 2, "", "there is no flag --oversubscrib: is --oversubscribe meant?"},
		{[]string{"--bind", "999", "true"}, 2, "", "CPU 999 is not one of those this job may use"},
		{[]string{"--wdir", missing, "-n", "1", "true"}, 2, "", "launcher: working directory " + missing},
		{[]string{"--wdir", plain, "-n", "1", "true"}, 2, "", "not a directory"},
		{[]string{"--output-dir", "/proc/x", "-n", "1", "true"}, 2, "", "output directory /proc/x"},
		{[]string{""}, 2, "", "an argument is empty"},
		{[]string{"bench", "diff", missing, missing}, 2, "", "no such file"},
		{[]string{"bench", "report", missing}, 2, "", "no such file"},
		{[]string{"bench", "report", "-o", missing + "/x", plain}, 2, "", "no such file"},
		{[]string{"tune", "-o", missing + "/x"}, 2, "", "no such file"},
		{[]string{"install-mpi", plain + "/x"}, 2, "", "no folder: remove it"},
		{[]string{"bench", "touch", "--help"}, 0, "$PVASRUN_BENCH_SIZE", ""},
		{nil, 2, "", "program 1 of the job is missing"},
		{[]string{"--no-such-flag", "true"}, 2, "", "no flag --no-such-flag"},
		{[]string{"-n", "0", "true"}, 2, "", "at least one rank"},
		{[]string{"-n", "x", "true"}, 2, "", `-n, --np: "x" is not a whole number: write for example --np 4`},
		{[]string{"--btl", "udp", "true"}, 2, "", `"udp": write auto, pvas or sm`},
		{[]string{"--bind", "9-x", "true"}, 2, "", "bind"},
		{[]string{"--timeout", "soon", "true"}, 2, "", "is not a duration"},
		{[]string{"--partition-size", "big", "true"}, 2, "", "is not a size"},
		{[]string{"--coll", "allreduce=guess", "true"}, 2, "", "there is no algorithm"},
		{[]string{"-x", "NOT_SET_ANYWHERE", "true"}, 0, "", "not set here"},
		{[]string{"-x", "=1", "true"}, 2, "", "no name"},
		{[]string{"true", ":"}, 2, "", "program 2 of the job is missing"},
		{[]string{":", "true"}, 2, "", "program 1 of the job is missing"},
		{[]string{"true", ":", "--btl", "sm", "true"}, 2, "", "only -n, -x, --clean-env, --wdir and --initial-e"},
		{[]string{"-n", "100000", "true"}, 2, "", "-n: 100000 ranks: a job has at most 65536 in all"},
		{[]string{"--rsh", "X", "info", "--hosts", "a,b"}, 127, "",
			"the flags of the command info stand behind it: pvasrun info --help"},
		{[]string{"--hosts", "a,b", "--devices", "10.81.0.1", "true"}, 2, "",
			"10.81.0.1 is an address, which one node has: name the network"},
		{[]string{"--hosts", "a,b", "--devices", "10.81.0.0/33", "true"}, 2, "", "10.81.0.0/33 is no network"},
		{[]string{"--hosts", "a,b", "--devices", "eth0,", "true"}, 2, "",
			"a name is empty: leave out a comma too many"},
		{[]string{"bench", "exchange", "--rounds", "0"}, 2, "", "--rounds: at least one is needed"},
		{[]string{"bench", "pingpong", "--rounds", "0"}, 2, "", "--rounds: at least one is needed"},
		{[]string{"bench", "suci", "--rate", "7K"}, 2, "", "--rate: at least 8k, which is 8000 bits per second"},
		{[]string{missing}, 127, "", "no such file"},
		{[]string{"no-such-program-in-path"}, 127, "", "not in PATH"},
		{[]string{plain}, 126, "", "permission denied"},
		{[]string{"-n", "2", "sh", "-c", "exit 3"}, 3, "", "exited with code 3"},
		{[]string{"-n", "1", "sh", "-c", "kill -SEGV $$"}, 139, "", "SIGSEGV"},
		{[]string{"-n", "2", "--", "echo", "-n", "--btl"}, 0, "--btl", ""},
		{[]string{"bench", "touch", "-n", "0"}, 2, "", "not a list of numbers"},
	} {
		got := command(t, nil, c.args...)
		require.Equal(t, c.code, got.code, "%q: %s", c.args, got.stderr)
		require.Contains(t, got.stdout, c.stdout, c.args)
		require.Contains(t, got.stderr, c.stderr, c.args)
	}
}

// Files of an earlier job that this one does not replace are told of.
func TestOldOutput(t *testing.T) {
	dir := t.TempDir()
	require.Empty(t, command(t, nil, "--output-dir", dir, "-n", "3", "echo", "old").stderr)
	require.Empty(t, command(t, nil, "--output-dir", dir, "-n", "3", "echo", "new").stderr)
	got := command(t, nil, "--output-dir", dir, "-n", "2", "echo", "new")
	require.Equal(t, 0, got.code)
	require.Equal(t, "pvasrun: --output-dir "+dir+": 2 files are of an earlier job and stay, such as rank.2.stderr\n",
		got.stderr)
}

func TestFlagsFromEnvironment(t *testing.T) {
	got := command(t, env("PVASRUN_NP=3", "PVASRUN_TAG_OUTPUT=true"), "echo", "hi")
	require.Equal(t, 0, got.code, got.stderr)
	require.ElementsMatch(t, []string{"[0]<stdout>: hi", "[1]<stdout>: hi", "[2]<stdout>: hi"}, lines(got.stdout))
	got = command(t, env("PVASRUN_NP=3"), "-n", "1", "echo", "hi")
	require.Equal(t, "hi\n", got.stdout, "the command line wins")
	got = command(t, env("PVASRUN_TIMEOUT=soon"), "echo", "hi")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "--timeout")
}

func TestSeveralPrograms(t *testing.T) {
	dir := t.TempDir()
	for _, btl := range turn(t, 0) {
		got := command(t, env("GIVEN=here"), "--btl", btl, "--tag-output", "-n", "2", "-x", "A=1", "sh", "-c",
			"echo $A$PVAS_RANK/$PVAS_SIZE",
			":", "-n", "1", "--wdir", dir, "-x", "A=2", "-x", "GIVEN", "sh", "-c",
			"echo $A$PVAS_RANK/$PVAS_SIZE $GIVEN `pwd`")
		require.Equal(t, 0, got.code, got.stderr)
		require.ElementsMatch(t, []string{"[0]<stdout>: 10/3", "[1]<stdout>: 11/3", "[2]<stdout>: 22/3 here " + dir},
			lines(got.stdout))
	}
}

func lines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

func TestTimeout(t *testing.T) {
	for _, btl := range models(t) {
		got := command(t, nil, "--btl", btl, "--timeout", "200ms", "-n", "2", "sleep", "60")
		require.Equal(t, 124, got.code, got.stderr)
	}
	for _, set := range []string{"MPIEXEC_TIMEOUT=200ms", "MPIEXEC_TIMEOUT=1"} {
		got := command(t, env(set), "-n", "2", "sleep", "60")
		require.Equal(t, 124, got.code, got.stderr)
	}
	got := command(t, env("MPIEXEC_TIMEOUT=1ms"), "--timeout", "60", "sleep", "0.1")
	require.Equal(t, 0, got.code, "the command line wins: %s", got.stderr)
	for set, flags := range map[string][]string{
		"MPIEXEC_TIMEOUT=100ms": {"--timeout", "0"}, "MPIEXEC_TIMEOUT=0": nil, "MPIEXEC_TIMEOUT=-1": nil,
	} {
		got = command(t, env(set), append(flags, "sleep", "0.2")...)
		require.Equal(t, 0, got.code, "%s %v is no limit: %s", set, flags, got.stderr)
	}
	got = command(t, env("MPIEXEC_TIMEOUT=soon"), "true")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "MPIEXEC_TIMEOUT")
}

// canMount skips a test where no file system can be mounted.
func canMount(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("unshare", "--mount", "mount", "-t", "tmpfs", "none",
		t.TempDir()).CombinedOutput(); err != nil {
		t.Skipf("no file system can be mounted: %v: %s", err, out)
	}
}

// A full disk loses what ranks write to the output directory: one line says so.
func TestOutputDirectoryIsFull(t *testing.T) {
	canMount(t)
	for size, says := range map[string]string{"64k": "no space left on device", "64m": ""} {
		dir := t.TempDir()
		cmd := exec.Command("unshare", "--mount", "sh", "-c",
			`mount -t tmpfs -o size=`+size+` none "$0" && exec "$@"`, dir,
			pvasrun, "--output-dir", dir, "-n", "2", "sh", "-c", "head -c 100000 /dev/zero; exit 0")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		if says == "" {
			require.Empty(t, string(out))
			continue
		}
		require.Equal(t, "pvasrun: output of ranks may be missing: "+dir+": "+says+"\n", string(out))
	}
}

// A disk that has room for no further file, but for what is written to those that are there, is not full.
func TestOutputDirectoryWithoutInodes(t *testing.T) {
	canMount(t)
	dir := t.TempDir()
	cmd := exec.Command("unshare", "--mount", "sh", "-c", `mount -t tmpfs -o nr_inodes=8 none "$0" && exec "$@"`, dir,
		pvasrun, "--output-dir", dir, "-n", "1", "sh", "-c",
		`for i in 1 2 3 4 5 6 7 8; do true > "$0/$PPID.$$.$i"; done 2> /dev/null; exit 0`, dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out))
}

// A folder that cannot be used is a mistake in the flag. A file in it that cannot be written is not.
func TestOutputDirectoryIsClosed(t *testing.T) {
	dir := t.TempDir()
	file, taken := filepath.Join(dir, "file"), filepath.Join(dir, "taken")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(taken, "rank.0.stdout"), 0o700))
	for name, code := range map[string]int{file: 2, filepath.Join(file, "below"): 2, taken: 1, "/proc/1/none": 2} {
		for _, btl := range models(t) {
			got := command(t, nil, "--btl", btl, "--output-dir", name, "-n", "1", "true")
			require.Equal(t, code, got.code, "%s: %s", name, got.stderr)
			require.Contains(t, got.stderr, name)
			require.NotContains(t, got.stderr, ".space")
		}
	}
}

// A program that cannot share an address space runs as classic processes, and
// one line says why; --btl pvas refuses it.
func TestAutoFallsBack(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	out, err := exec.Command("go", "build", "-buildmode=exe", "-o", plain, "../../examples/hello").CombinedOutput()
	require.NoError(t, err, "%s", out)
	got := command(t, nil, "-n", "2", plain)
	require.Equal(t, 0, got.code, got.stderr)
	require.Len(t, lines(got.stderr), 1, got.stderr)
	require.Contains(t, got.stderr, "-buildmode=pie")
	require.Len(t, lines(got.stdout), 2)
	got = command(t, nil, "--btl", "pvas", "-n", "2", plain)
	require.NotZero(t, got.code)
	require.Contains(t, got.stderr, "not position independent")
}

func TestDryRunPrintsTheLayout(t *testing.T) {
	got := command(t, nil, "--btl", models(t)[0], "--dry-run", "-n", "2", "../../examples/hello", ":", "-n", "1", "cat")
	require.Equal(t, 0, got.code, got.stderr)
	require.Len(t, lines(got.stdout), 2+3)
	for _, word := range []string{"partition", "stack", "image", "arena", "0x"} {
		require.Contains(t, got.stdout, word)
	}
}

func TestReportPageTable(t *testing.T) {
	for _, btl := range models(t) {
		got := command(t, nil, "--btl", btl, "--report", "pagetable", "-n", "3",
			programs.Build(t, "../../examples/hello"))
		require.Equal(t, 0, got.code, got.stderr)
		require.Contains(t, got.stderr, "page tables KiB")
		require.NotContains(t, got.stderr, "samples taken", "these ranks stop to be measured")
		got = command(t, nil, "--btl", btl, "--report", "pagetable", "-n", "2", "sleep", "0.3")
		require.Equal(t, 0, got.code, got.stderr)
		require.Contains(t, got.stderr, "samples taken")
	}
}

// The main job: both task models, side by side, against the model.
func TestBenchTouch(t *testing.T) {
	if len(models(t)) < 2 {
		t.Skip("one address space is not supported")
	}
	const n, size = 8, 2 << 20
	got := command(t, nil, "bench", "touch", "-n", "2,8", "--size", "2M", "--json")
	require.Equal(t, 0, got.code, got.stderr)
	require.Empty(t, got.stderr, "no progress display where no terminal is")
	var results []memory.TouchResult
	for _, line := range lines(got.stdout) {
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		var r memory.TouchResult
		require.NoError(t, d.Decode(&r))
		results = append(results, r)
	}
	require.Len(t, results, 4)
	one, many := results[2], results[3]
	require.Equal(t, []any{"pvas", "sm", n, n, uint64(size)},
		[]any{one.BTL, many.BTL, one.Ranks, many.Ranks, one.Bytes})
	// One PTE page of 4 KiB for each 2 MiB that a rank maps: of all ranks, or of its own.
	require.GreaterOrEqual(t, many.PageTableGrowthKiB, int64(n*n*4))
	require.GreaterOrEqual(t, one.PageTableGrowthKiB, int64(n*4))
	require.LessOrEqual(t, one.PageTableGrowthKiB, int64(n*4+n*4+4),
		"what else is touched after Init lies in one page of each rank's runtime, and one of the job")
	require.Equal(t, uint64(n*4), one.ModelKiB)

	got = command(t, nil, "bench", "touch", "-n", "2", "--size", "64K")
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stdout, "sm/pvas")
}

// All of it works without any privilege.
func TestUnprivilegedUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the tests run as an ordinary user anyway")
	}
	nobody := func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		cmd.Dir = "/"
		cmd.Args = append([]string{"setpriv", "--no-new-privs", cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/usr/bin/setpriv"
	}
	if _, err := os.Stat("/usr/bin/setpriv"); err != nil {
		t.Skip("setpriv of util-linux is not installed")
	}
	for _, btl := range models(t) {
		got := command(t, nobody, "--btl", btl, "-n", "3", "sh", "-c", "id -u; grep NoNewPrivs /proc/self/status")
		require.Equal(t, 0, got.code, got.stderr)
		require.Equal(t, 3, strings.Count(got.stdout, "65534\n"), got.stdout)
		require.Equal(t, 3, strings.Count(got.stdout, "NoNewPrivs:\t1"), got.stdout)
	}
	got := command(t, nobody, "bench", "touch", "-n", "4", "--json")
	require.Equal(t, 0, got.code, got.stderr)
	require.Len(t, lines(got.stdout), len(models(t)))
}
