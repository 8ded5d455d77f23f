package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What people type for other MPIs means the same here, and what belongs to the program
// stays as it is.
func TestTranslate(t *testing.T) {
	for args, want := range map[string]string{
		"":                           "",
		"-n 4 prog -np 3":            "-n 4 prog -np 3",
		"-np 4 prog":                 "-n 4 prog",
		"--np 4 prog":                "--np 4 prog",
		"-np=4 prog":                 "-n 4 prog",
		"-n4 prog":                   "-n4 prog",
		"--oversubscribe -np 4 p":    "-n 4 p",
		"-oversubscribe prog":        "prog",
		"--allow-run-as-root -v p":   "-v p",
		"--bind-to core p":           "--bind core p",
		"-bind-to none p":            "--bind none p",
		"-H localhost:4 p":           "--hosts localhost:4 p",
		"--host a,b p":               "--hosts a,b p",
		"-hosts a,b p":               "--hosts a,b p",
		"-f file p":                  "--hostfile file p",
		"-genv A 1 -genv B x=y p":    "-x A=1 -x B=x=y p",
		"-genvall p":                 "p",
		"-tag-output -timeout 3 p":   "--tag-output --timeout 3 p",
		"-x A -wdir /tmp p -wdir x":  "-x A --wdir /tmp p -wdir x",
		"--wd /tmp p":                "--wdir /tmp p",
		"-- -np 4":                   "-- -np 4",
		"--output-dir -np -n 1 p":    "--output-dir -np -n 1 p",
		"-np 1 a : -np 2 -env A 1 b": "-n 1 a : -n 2 -x A=1 b",
		"-n":                         "-n",
		"--unknown p":                "--unknown p",
		"--help":                     "--help",
		"-c 2 -q p":                  "-n 2 p",
		"-iface eth0 p":              "--devices eth0 p",
		"-V":                         "--version",
	} {
		got, err := translate(strings.Fields(args))
		require.NoError(t, err, args)
		require.Equal(t, strings.Fields(want), strings.Fields(strings.Join(got, " ")), args)
	}
}

// What cannot mean the same is refused by its name, with our flag.
func TestRefusedSpellings(t *testing.T) {
	for args, says := range map[string]string{
		"-H a:x p":              `host "a:x": "x" is no number of ranks`,
		"-H a -hostfile f p":    `--hosts and --hostfile`,
		"-H a:1 -n 2 --rsh x p": `they take 1 ranks, and the job has 2`,
		"--map-by socket p":     `--map-by: pvasrun has no such flag: write --bind core`,
		"--bind-to socket p":    `--bind-to: "socket": write --bind core`,
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
		require.ErrorAs(t, err, new(usageError), args)
		require.ErrorContains(t, err, says, args)
	}
	got := command(t, nil, "-np", "2", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-genv", "WORD",
		"hi", "sh", "-c", "echo $WORD")
	require.Equal(t, 0, got.code, got.stderr)
	require.Equal(t, "hi\nhi\n", got.stdout)
}
