package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
)

// What cannot mean the same is refused by its name, with our flag.
func TestRefusedSpellings(t *testing.T) {
	for args, says := range map[string]string{
		"-H a:x p":                           `host "a:x": "x" is no number of ranks`,
		"-H a -hostfile f p":                 `--hosts and --hostfile`,
		"-H a:1 -n 2 --rsh x p":              `they take 1 ranks, and the job has 2`,
		"--map-by board p":                   `--map-by: "board": write slot, node, core, l3, numa or socket`,
		"--map-by ppr:0:node p":              `--map-by: "ppr:0:node": write for example ppr:2:node`,
		"--map-by numa:SPAN p":               `--map-by: "numa:SPAN": behind the colon may stand PE=N`,
		"--map-by numa:PE=0 p":               `behind the colon may stand PE=N`,
		"--bind-to hwthread p":               `--bind-to: "hwthread": write --bind auto, none, core`,
		"--cpus-per-rank 0 p":                `--cpus-per-rank: 0 is below 1`,
		"-ppn 2 -n 3 p":                      `--per-node: the job has 3 ranks and one node, which takes 2`,
		"-ppn 2 -H a:1,b:4 p":                `--per-node: node a takes 1 ranks, and not 2`,
		"-ppn 0 p":                           `--per-node: 0 is below 1`,
		"--map-by ppr:1:node --per-node 2 p": `--per-node and --map-by ppr: give one of them`,
		"-launcher sge p":                    `-launcher: "sge": ssh starts pvasrun`,
		"-np":                                `-np: its value is missing`,
		"-H a,b --nooversubscribe -n 3 p":    `--no-oversubscribe: the job has 3 ranks, for 2 slots of its nodes`,
		"--nooversubscribe -n 65536 p":       `--no-oversubscribe: the job has 65536 ranks, for 65536 CPUs`,
		"--no-oversubscribe --cpus-per-rank 65536 -n 1 p": `--no-oversubscribe: the job has 1 ranks, for 65536 CPUs`,
		"--map-by ppr:1:numa -n 65000 p":                  `--map-by ppr: the job has 65000 ranks and this node takes`,
		"--rankfile /dev/zero p":                          `--rankfile: /dev/zero: it has more than 4 MiB`,
		"--cpu-set 1-0 p":                                 `--cpu-set 1-0: range 1-0 runs backwards`,
		"--line-prefix %x p":                              `"%x": %x means nothing: the signs are %r`,
		"--output-dir d -o f p":                           `--output-dir with --output-file`,
		"--error-file d --merge-output p":                 `--error-file with --merge-output`,
		"--rankfile /dev/null p":                          `--rankfile: /dev/null: it has no line such as rank 0=node1`,
		"-genv A":                                         `-genv: its value is missing`,
		"-np x p":                                         `-n, --np: "x" is not a whole number`,
		"--spin -5 true":                                  `--spin: -5 is below 0`,
		"--helpers 100 -n 2 true":                         `--helpers 100: there are 2 ranks`,
		"--partition-size 3G true":                        `partition size must be a power of two`,
		"--partition-size 1K --btl sm true":               `partition size must be a power of two`,
	} {
		err := execute(strings.Fields(args))
		require.ErrorAs(t, err, new(cli.UsageError), args)
		require.ErrorContains(t, err, says, args)
	}
	got := command(t, nil, "-np", "2", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-genv", "WORD",
		"hi", "sh", "-c", "echo $WORD")
	require.Equal(t, 0, got.code, got.stderr)
	require.Equal(t, "hi\nhi\n", got.stdout)
}

// What a name of another launcher promises is done.
func TestSpelled(t *testing.T) {
	dir := t.TempDir()
	for args, want := range map[string]string{
		"-l -n 2":                        "0: hi\n1: hi\n",
		"-N 2":                           "hi\nhi\n",
		"--map-by ppr:2:numa -n 2":       "hi\nhi\n",
		"--map-by ppr:2:node":            "hi\nhi\n",
		"--mca btl self --tune x -n 1":   "hi\n",
		"-o " + dir + "/o.%t -n 2":       "",
		"--cpu-set 0 --display-map -n 1": "hi\n",
		"-prepend-pattern [%r]: -n 2":    "[0]:hi\n[1]:hi\n",
		"-n 1 -envnone -x A=hi":          "hi\n",
	} {
		got := command(t, nil, append(strings.Fields(args), "sh", "-c", "echo ${A-hi}")...)
		require.Equal(t, 0, got.code, args+got.stderr)
		out := lines(got.stdout)
		slices.Sort(out)
		require.Equal(t, strings.Fields(want), strings.Fields(strings.Join(out, "\n")), args)
	}
	got := command(t, nil, "-n", "1", "--tag-output", "--output-dir", dir, "true")
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stderr, "--tag-output, --timestamp-output and --line-prefix are for what pvasrun prints")
	for _, file := range []string{"o.0", "o.1"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		require.Equal(t, "hi\n", string(text))
	}
	got = command(t, nil, "help", "srun")
	require.Equal(t, 0, got.code)
	require.Contains(t, got.stdout, "--multi-prog")
}

// A rankfile says the node and the cores of each rank.
func TestRankfile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ranks")
	require.NoError(t, os.WriteFile(file, []byte("# two\nrank 1=localhost slot=0\nrank 0=localhost slot=0:0\n"), 0o600))
	got := command(t, nil, "-rf", file, "--report-bindings", "true")
	require.Equal(t, 0, got.code, got.stderr)
	require.Len(t, lines(got.stderr), 2, got.stderr)
	got = command(t, nil, "--rankfile", file, "-n", "3", "true")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "it has places for 2 ranks, and the job has 3")
	require.NoError(t, os.WriteFile(file, []byte("rank 0=a slot=0\nrank 1=b slot=0\n"), 0o600))
	got = command(t, nil, "--rankfile", file, "--dry-run", "true")
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `(?m)^a +0 `, got.stdout)
	for text, says := range map[string]string{"rank 0=a": "line 1: write for example",
		"rank 1=a slot=0":                  "no line for rank 0",
		"rank 0=a slot=0\nrank 0=a slot=0": "line 2: rank 0 has a line before",
		"rank 0=+n0 slot=0":                "write the name of the node", "rank 0=a slot=9:0": "there are sockets 0 to",
		"rank 0=a slot=9999": "there are cores 0 to"} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		got = command(t, nil, "--rankfile", file, "true")
		require.Equal(t, 2, got.code, text)
		require.Contains(t, got.stderr, says)
	}
}
