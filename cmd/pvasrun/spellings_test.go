package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
)

// What cannot mean the same is refused by its name, with our flag.
func TestRefusedSpellings(t *testing.T) {
	for args, says := range map[string]string{
		"-H a:x p":              `host "a:x": "x" is no number of ranks`,
		"-H a -hostfile f p":    `--hosts and --hostfile`,
		"-H a:1 -n 2 --rsh x p": `they take 1 ranks, and the job has 2`,
		"--map-by board p":      `--map-by: "board": write slot, node, core, l3, numa or socket`,
		"--map-by ppr:2:node p": `--map-by: "ppr:2:node": write the number behind each host`,
		"--map-by numa:SPAN p":  `--map-by: "numa:SPAN": behind the colon may stand PE=N`,
		"--map-by numa:PE=0 p":  `write --map-by numa --cpus-per-rank N`,
		"--bind-to hwthread p":  `--bind-to: "hwthread": write --bind none, core`,
		"--cpus-per-rank 0 p":   `--cpus-per-rank: 0 is below 1`,
		"-ppn 2 p":              `-ppn: pvasrun has no such flag: write the number behind each host`,
		"--mca btl self p":      `--mca: pvasrun has no such flag`,
		"-perhost 2 p":          `-perhost: pvasrun has no such flag: write the number behind each host`,
		"-launcher ssh p":       `-launcher: pvasrun has no such flag: ssh starts pvasrun`,
		"-configfile " +
			"f": `-configfile: pvasrun has no such flag: write the programs one after another`,
		"-l p":                              `-l: pvasrun has no such flag: write --tag-output`,
		"-np":                               `-np: its value is missing`,
		"-genv A":                           `-genv: its value is missing`,
		"-genv A 1 -n 1 a : -n 1 b":         `-genv: with several programs write -x`,
		"-np x p":                           `-n, --np: "x" is not a whole number`,
		"--spin -5 true":                    `--spin: -5 is below 0`,
		"--helpers 100 -n 2 true":           `--helpers 100: there are 2 ranks`,
		"--partition-size 3G true":          `partition size must be a power of two`,
		"--partition-size 1K --btl sm true": `partition size must be a power of two`,
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
