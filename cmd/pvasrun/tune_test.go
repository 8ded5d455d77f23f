package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/setup"
	"github.com/gopvas/gopvas/internal/lab/tune"
	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/trace"
)

// tuned is a profile of this machine with some numbers.
func tuned(t *testing.T) *tune.Profile {
	t.Helper()
	words := strings.Fields(command(t, nil, "--version").stdout)
	require.Greater(t, len(words), 1)
	p := &tune.Profile{
		Format: 1, Command: "pvasrun tune", Version: words[1], Machine: tune.ThisMachine(),
		Parameters: []tune.Parameter{
			{Name: "eager_limit", Model: "pvas", Unit: "bytes", Default: 4096, Value: 1024, Verdict: tune.Measured},
			{Name: "eager_limit", Model: "sm", Unit: "bytes", Default: 4096, Value: 2048, Verdict: tune.Measured},
			{Name: "pipeline_from", Model: "sm", Unit: "bytes", Value: 8192, Verdict: tune.Measured},
		},
	}
	p.Machine.ProbeCMA()
	return p
}

// configuration is a folder of configurations, with a profile if p is not nil.
func configuration(t *testing.T, p *tune.Profile) (variable, file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "gopvas", "profile.json")
	if p != nil {
		require.NoError(t, p.WriteFile(file))
	}
	return "XDG_CONFIG_HOME=" + dir, file
}

// settingsOf returns the eager limit and the pipeline's limit of a job's ranks.
func settingsOf(t *testing.T, program string, env []string, args ...string) (eager, pipeline int, stderr string) {
	t.Helper()
	got := command(t, func(cmd *exec.Cmd) { cmd.Env = append(os.Environ(), env...) },
		append(args, "-n", "1", program)...)
	require.Equal(t, 0, got.code, got.stderr)
	for word := range strings.FieldsSeq(got.stdout) {
		_, _ = fmt.Sscanf(word, "eager=%d", &eager)
		_, _ = fmt.Sscanf(word, "pipeline=%d", &pipeline)
	}
	return eager, pipeline, got.stderr
}

// A job goes by the profile of the user for its task model, or by that which is named. Flags and
// their variables win.
func TestJobsUseProfile(t *testing.T) {
	program := programs.Build(t, "./testdata/settings")
	config, file := configuration(t, tuned(t))
	_, empty := configuration(t, nil)
	none := "XDG_CONFIG_HOME=" + filepath.Dir(filepath.Dir(empty))
	eager := map[string]int{"pvas": 1024, "sm": 2048}
	pipeline := map[string]int{"pvas": 0, "sm": 8192}
	for _, model := range models(t) {
		for _, c := range []struct {
			env             []string
			args            []string
			eager, pipeline int
		}{
			{[]string{none}, nil, 4096, 0},
			{[]string{config}, nil, eager[model], pipeline[model]},
			{[]string{none}, []string{"--profile", file}, eager[model], pipeline[model]},
			{[]string{none, "PVASRUN_PROFILE=" + file}, nil, eager[model], pipeline[model]},
			{[]string{config}, []string{"--profile", "none"}, 4096, 0},
			{[]string{config}, []string{"--eager-limit", "4K"}, 4096, pipeline[model]},
			{[]string{config, "PVASRUN_EAGER_LIMIT=512"}, nil, 512, pipeline[model]},
			{[]string{config}, []string{"--single-copy", "auto"}, eager[model], 0},
		} {
			e, p, stderr := settingsOf(t, program, c.env, append(c.args, "--btl", model)...)
			require.Equal(t, []int{c.eager, c.pipeline}, []int{e, p}, "%s %v %v", model, c.env, c.args)
			require.Empty(t, stderr)
		}
	}
}

// A profile of elsewhere is ignored with a word; so is a bad one, unless it is named.
func TestProfileIgnored(t *testing.T) {
	program := programs.Build(t, "./testdata/settings")
	other := tuned(t)
	other.Machine.CPUs++
	config, file := configuration(t, other)
	for _, args := range [][]string{{"--btl", "sm"}, {"--btl", "sm", "--profile", file}} {
		eager, _, stderr := settingsOf(t, program, []string{config}, args...)
		require.Equal(t, 4096, eager)
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		require.Contains(t, stderr, "profile "+file+" ignored: it is of ")
	}
	require.NoError(t, os.WriteFile(file, []byte(`{"format": 9}`), 0o644))
	eager, _, stderr := settingsOf(t, program, []string{config}, "--btl", "sm")
	require.Equal(t, 4096, eager)
	require.Contains(t, stderr, "field format: 9, and this program reads 1; pvasrun tune measures anew")
	require.Equal(t, 1, strings.Count(stderr, "pvasrun tune"), stderr)
	got := command(t, env("XDG_CONFIG_HOME="+file), "-n", "1", "true")
	require.Empty(t, got.stderr, "a folder that cannot be looked into has no profile")
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	got = command(t, nil, "--profile", pipe, "true")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, pipe+" is no regular file")
	for _, bad := range []string{file, file + ".missing"} {
		got = command(t, nil, "--profile", bad, "true")
		require.Equal(t, 2, got.code)
		require.Contains(t, got.stderr, "--profile: tune: profile")
		require.Contains(t, got.stderr, bad)
	}
}

// A profile of another kernel is for ranks that share an address space alone, also where a job
// turns out to have none.
func TestProfileOfAnotherKernel(t *testing.T) {
	other := tuned(t)
	other.Machine.CMA = !other.Machine.CMA
	config, _ := configuration(t, other)
	plain := filepath.Join(t.TempDir(), "plain")
	out, err := exec.Command("go", "build", "-buildmode=exe", "-o", plain, "./testdata/settings").CombinedOutput()
	require.NoError(t, err, string(out))
	eager, _, stderr := settingsOf(t, plain, []string{config})
	require.Equal(t, 4096, eager)
	require.Equal(t, 1, strings.Count(stderr, "ignored: it is of a kernel that "), stderr)
	if !slices.Contains(models(t), "pvas") {
		return
	}
	eager, _, stderr = settingsOf(t, programs.Build(t, "./testdata/settings"), []string{config})
	require.Equal(t, 1024, eager)
	require.Empty(t, stderr)
}

func TestInfoShowsProfile(t *testing.T) {
	config, file := configuration(t, tuned(t))
	got := command(t, env(config), "info", "--spin", "7")
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `eager limit +1024 bytes +profile +2048 bytes +profile`, got.stdout)
	require.Regexp(t, `spin.* 7 looks +flag +7 looks +flag`, got.stdout)
	require.Regexp(t, `pipeline from +8192 bytes +profile`, got.stdout)
	require.Regexp(t, `both ranks copy from +49152 bytes +default`, got.stdout)
	require.Contains(t, got.stdout, "Profile: "+file+"\n")
	var found setup.Info
	got = command(t, env(config), "info", "--json")
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &found))
	require.Equal(t, 1024, found.Tunables.EagerLimit)
	require.Equal(t, 2048, found.SM.EagerLimit)
	require.Equal(t, setup.ProfileInfo{File: file}, *found.Profile)
	require.Regexp(t, `spin.* 0 looks +flag +0 looks +flag`, command(t, env(config), "info", "--spin", "0").stdout)
	none, _ := configuration(t, nil)
	require.Contains(t, command(t, env(none), "info").stdout, "Profile: none: pvasrun tune makes one")
	other := tuned(t)
	other.Version = "v0"
	config, _ = configuration(t, other)
	require.Contains(t, command(t, env(config), "info").stdout, "ignored: it is of version v0")
}

// What tune measures becomes a profile that jobs take, and bench compares with the defaults.
func TestTune(t *testing.T) {
	config, file := configuration(t, nil)
	only := testkit.Some("share_from", "pipeline_from")
	names := strings.Join(only, ",")
	got := command(t, env(config), "tune", "--only", names, "--rounds", "5", "--max-seconds", "1")
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stdout, file+" is written.")
	defaults := map[string]string{"share_from": "pvas +49152 bytes", "pipeline_from": "sm +found by each rank"}
	for _, name := range only {
		require.Regexp(t, `(?m)^`+name+` +`+defaults[name]+` +\S`, got.stdout)
	}
	p, err := tune.ReadFile(file)
	require.NoError(t, err)
	require.Len(t, p.Parameters, len(only))
	require.Equal(t, "pvasrun tune --only "+names+" --rounds 5 --max-seconds 1", p.Command)
	require.Empty(t, p.Foreign(tuned(t).Machine, p.Version))
	require.Less(t, time.Since(p.Date), time.Hour)
	got = command(t, env(config), "--btl", "sm", "-n", "2", "true")
	require.Empty(t, got.stderr, "it is in force")
	require.NoError(t, tuned(t).WriteFile(file))
	got = command(t, nil, "bench", "pingpong", "--btl", "sm", "--sizes", "8", "--reps", "10",
		"--profile", file, "--json")
	require.Equal(t, 0, got.code, got.stderr)
	list := lines(got.stdout)
	require.Len(t, list, 2)
	require.Contains(t, list[0], `"eager_limit":4096`)
	require.NotContains(t, list[0], `"profile"`)
	require.Contains(t, list[1], `"eager_limit":2048`)
	require.Contains(t, list[1], `"profile":true`)
}

func TestTunePrintsProfile(t *testing.T) {
	got := command(t, nil, "tune", "--only", "solo_spinning", "--rounds", "5", "--max-seconds",
		"1ms", "-o", "-", "--json")
	require.Equal(t, 0, got.code, got.stderr)
	p, err := tune.Read(strings.NewReader(got.stdout))
	require.NoError(t, err)
	require.Len(t, p.Parameters, 1)
	if p.Parameters[0].Verdict != tune.NotMeasured {
		require.Len(t, p.Parameters[0].Compared, 18, "three benchmarks at six lengths")
	}
}

// A user who interrupts it finds the old profile, and nothing else.
func TestTuneInterrupted(t *testing.T) {
	_, file := configuration(t, tuned(t))
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	cmd := exec.Command(pvasrun, "tune", "-o", file, "--max-seconds", "1000")
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return len(processes.Children(cmd.Process.Pid)) > 0 },
		time.Minute, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait()
	require.Equal(t, 130, cmd.ProcessState.ExitCode())
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	files, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, files, 1)
}

func TestTuneMistakes(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	recorded := filepath.Join(t.TempDir(), "job.trace")
	require.NoError(t, os.WriteFile(recorded, []byte(trace.Magic), 0o600))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-o", recorded}, 2, "it is no profile and is not overwritten"},
		{[]string{"--rounds", "4"}, 2, "--rounds: want 5 to 1000"},
		{[]string{"--max-seconds", "0"}, 2, "--max-seconds: 0 leaves no time to measure: give some, such as 60"},
		{[]string{"--only", "speed"}, 2, "is not a list of parameters: write some of eager_limit,"},
		{[]string{"-o", filepath.Join(t.TempDir(), "missing", "file")}, 2, "no such file"},
		{[]string{"-o", t.TempDir()}, 2, "is a directory"},
		{[]string{"-o", pipe}, 2, "is no regular file"},
		{[]string{"more"}, 2, "unexpected argument"},
	} {
		got := command(t, nil, append([]string{"tune"}, c.args...)...)
		require.Equal(t, c.code, got.code, got.stderr)
		require.Contains(t, got.stderr, c.want)
	}
}
