package run

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
