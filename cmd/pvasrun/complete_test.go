package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		args, want string // words; those of want are all that is offered, in this order
	}{
		{"b", "bench"},
		{"inf", "info"},
		{"./no", ""},
		{"--btl=", "--btl=auto --btl=pvas --btl=sm"},
		{"--btl p", "pvas"},
		{"--report-b", "--report-bindings"},
		{"--tag-output --dry", "--dry-run"},
		{"-n 4 --tag", "--tag-output"},
		{"-n=4 --tag", "--tag-output"},
		{"-n --tag", ""}, // the value of -n
		{"--no-such-flag --dry", "--dry-run"},
		{"-n 4 ./prog --btl", ""},
		{"-- --btl", ""},
		{"--he", "--help --helpers"},
		{"-n", "-n"},
		{"bench tou", "touch"},
		{"bench touch --huge", "--huge-pages"},
		{"bench touch --tag", ""},
		{"bench pingpong --single-copy n", "none"},
		{"bench npb i", "is"},
		{"bench npb is --class=", "--class=A --class=B --class=C --class=S --class=W"},
		{"info --j", "--json"},
		{"--coll reduce=d", "reduce=direct reduce=domains"},
		{"--coll=bcast=direct,barrier=f", "--coll=bcast=direct,barrier=flat"},
		{"--progress sh", "share"},
		{"--progress=ow", "--progress=owner"},
		{"bench all --only pi", "pie pingpong"},
		{"bench all --only=rate,foot", "--only=rate,footprint"},
		{"bench touch --btl pvas,", "pvas,sm"},
		{"bench bcast --compare m", "mpich"},
		{"bench bcast --coll ibc", "ibcast=binomial ibcast=chain ibcast=levels"},
		{"completion f", "fish"},
		{"tune --only eager_", "eager_limit"}, // a flag of a name that another command has for something else
		{"bench exchange --compare openmpi,m", "openmpi,mptcp"},
		{"model fit --caches warm,", "warm,cold"},
	} {
		got := command(t, env("GO_FLAGS_COMPLETION=1"), strings.Fields(c.args)...)
		require.Equal(t, finished{"", "", 0}, finished{"", got.stderr, got.code}, c.args)
		require.Equal(t, c.want, strings.Join(strings.Fields(got.stdout), " "), c.args)
	}
	all := strings.Fields(command(t, env("GO_FLAGS_COMPLETION=1"), "").stdout)
	require.Subset(t, all, []string{"bench", "completion", "info"})
}

// The script makes bash complete: also behind "=", where bash begins a new word, and
// with the names of files, which it knows better.
func TestBashCompletes(t *testing.T) {
	script := command(t, nil, "completion", "bash")
	require.Equal(t, 0, script.code, script.stderr)
	file := filepath.Join(t.TempDir(), "pvasrun.bash")
	require.NoError(t, os.WriteFile(file, []byte(script.stdout), 0o644))
	for line, want := range map[string]string{
		"pvasrun --report-b":           "--report-bindings",
		"pvasrun --btl=s":              "sm",
		"pvasrun --btl ":               "auto pvas sm",
		"pvasrun --coll bcast=dir":     "direct",
		"pvasrun --coll=bcast=dir":     "direct",
		"pvasrun bench touch --huge":   "--huge-pages",
		"pvasrun -n 4 ./prog --report": "",
	} {
		const ask = `source "$1"; COMP_LINE=$2; COMP_POINT=${#2}; _pvasrun "$3"; echo "${COMPREPLY[*]}"; ` +
			`complete -p pvasrun`
		out, err := exec.Command("bash", "-euc", ask, "bash", file, line, pvasrun).CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
		require.Equal(t, want, lines(string(out))[0], line)
		require.Contains(t, string(out), "-o default")
	}
}

// The other shells at least take their scripts.
func TestShellsReadCompletion(t *testing.T) {
	for shell, check := range map[string][]string{"bash": {"-n"}, "zsh": {"-n"}, "fish": {"--no-execute"}} {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skipf("%s is not installed", shell)
			}
			script := command(t, nil, "completion", shell)
			require.Equal(t, 0, script.code, script.stderr)
			file := filepath.Join(t.TempDir(), "script")
			require.NoError(t, os.WriteFile(file, []byte(script.stdout), 0o644))
			out, err := exec.Command(shell, append(check, file)...).CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
	got := command(t, nil, "completion", "tcsh")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "bash, zsh or fish")
}
