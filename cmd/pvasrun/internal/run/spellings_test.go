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
		"":                                  "",
		"-n 4 prog -np 3":                   "-n 4 prog -np 3",
		"-np 4 prog":                        "-n 4 prog",
		"--np 4 prog":                       "--np 4 prog",
		"-np=4 prog":                        "-n 4 prog",
		"-n4 prog":                          "-n4 prog",
		"--oversubscribe -np 4 p":           "-n 4 p",
		"-oversubscribe prog":               "prog",
		"--allow-run-as-root -v p":          "-v p",
		"--bind-to core p":                  "--bind core p",
		"-bind-to none p":                   "--bind none p",
		"--bind-to l3cache p":               "--bind l3cache p",
		"-bind-to user:0,2-3 p":             "--bind 0,2-3 p",
		"-bysocket -bind-to-core p":         "--map-by socket --bind core p",
		"--cpus-per-proc 4 p":               "--cpus-per-rank 4 p",
		"-map-by numa:PE=2 p":               "--map-by numa:PE=2 p",
		"--use-hwthread-cpus p":             "p",
		"--bind-to core:overload-allowed p": "--bind core p",
		"-H localhost:4 p":                  "--hosts localhost:4 p",
		"--host a,b p":                      "--hosts a,b p",
		"-hosts a,b p":                      "--hosts a,b p",
		"-f file p":                         "--hostfile file p",
		"-s all p":                          "--stdin all p",
		"-stdin none p":                     "--stdin none p",
		"-genv A 1 -genv B x=y p":           "-x A=1 -x B=x=y p",
		"-genvall p":                        "p",
		"-tag-output -timeout 3 p":          "--tag-output --timeout 3 p",
		"-x A -wdir /tmp p -wdir x":         "-x A --wdir /tmp p -wdir x",
		"--wd /tmp p":                       "--wdir /tmp p",
		"-- -np 4":                          "-- -np 4",
		"--output-dir -np -n 1 p":           "--output-dir -np -n 1 p",
		"-np 1 a : -np 2 -env A 1 b":        "-n 1 a : -n 2 -x A=1 b",
		"-n":                                "-n",
		"--unknown p":                       "--unknown p",
		"--help":                            "--help",
		"-c 2 -q p":                         "-n 2 p",
		"-iface eth0 p":                     "--devices eth0 p",
		"-V":                                "--version",
	} {
		got, err := translate(strings.Fields(args))
		require.NoError(t, err, args)
		require.Equal(t, strings.Fields(want), strings.Fields(strings.Join(got, " ")), args)
	}
}

func TestMappings(t *testing.T) {
	for text, want := range map[string]mapping{
		"slot": {}, "node": {byNode: true}, "core": {by: "core"}, "l3cache": {by: "l3"}, "numa": {by: "numa"},
		"package": {by: "socket"}, "socket:PE=4": {by: "socket", cpus: 4},
		"slot:pe=2:OVERSUBSCRIBE": {cpus: 2}, "node:PE=8": {byNode: true, cpus: 8},
	} {
		m := mapping{cpus: 7}
		require.NoError(t, m.UnmarshalFlag(text), text)
		require.Equal(t, want, m, text)
	}
	for _, text := range []string{"", ":", "l4", "numa:", "numa:PE", "numa:PE=x", "numa:PE=70000",
		"slot:NOOVERSUBSCRIBE"} {
		require.Error(t, new(mapping).UnmarshalFlag(text), text)
	}
}
