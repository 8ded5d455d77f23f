package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A server answers ping, bench and stat of a client that has its key.
func TestSuci(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	require.Equal(t, 0, command(t, nil, "suci", "key", "-o", file).code)
	require.NotEqual(t, 0, command(t, nil, "suci", "key", "-o", file).code, "a key is not written over")
	require.Regexp(t, `^[0-9a-f]{64}\n$`, command(t, nil, "suci", "key").stdout)

	server := exec.Command(pvasrun, "suci", "serve", "--key", file, "--listen", "127.0.0.1:0")
	out, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		require.NoError(t, server.Process.Signal(os.Interrupt))
		_ = server.Wait() // ends by the signal
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	at := strings.TrimSpace(strings.TrimPrefix(line, "serving at "))

	got := command(t, nil, "suci", "ping", "--key", file, "-c", "2", "--every", "1ms", at)
	require.Equal(t, 0, got.code, got.stderr)
	require.Equal(t, 2, strings.Count(got.stdout, "rounds of 8 bytes: median"))
	got = command(t, nil, "suci", "bench", "--key", file, "--sizes", "8,64K", "--every", "1ms", at)
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stdout, "65536")
	got = command(t, nil, "suci", "stat", "--key", file, at)
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stdout, "127.0.0.1:")
	require.Regexp(t, `(?m)^BlocksIn [1-9][0-9]*$`, got.stdout)
	require.NotContains(t, got.stdout, "Malformed", "what is zero is left out")
	got = command(t, nil, "suci", "stat", "--json", "--key", file, at)
	require.Contains(t, got.stdout, `"RoundTrip"`)

	require.Equal(t, 0, command(t, nil, "suci", "key", "-o", file+".other").code)
	got = command(t, nil, "suci", "ping", "--key", file+".other", at)
	require.Equal(t, 1, got.code)
	require.Contains(t, got.stderr, "the pvasrun suci serve there has another --key or --encrypt: ")
}

// A client whose server is not there ends.
func TestSuciWithoutServer(t *testing.T) {
	t.Parallel() // it waits
	file := filepath.Join(t.TempDir(), "key")
	require.Equal(t, 0, command(t, nil, "suci", "key", "-o", file).code)
	got := command(t, nil, "suci", "ping", "--key", file, "127.0.0.1:1")
	require.Equal(t, 1, got.code)
	require.Contains(t, got.stderr, "no pvasrun suci serve answers: ")
}

func TestSuciMistakes(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(bad, []byte("xyz"), 0o600))
	for args, want := range map[string]string{
		"suci":     "name a command: bench, key, ping, serve, stat",
		"suci fly": "name a command",
		"suci ping --key " + bad + " 127.0.0.1:1": "does not have 64 hexadecimal digits",
		"suci serve": "--key is missing: write --key FILE",
		"suci ping --key " + bad + " -c 0 127.0.0.1:1":          "--count: want 1 or more",
		"suci ping --key " + bad + " --size 100G 127.0.0.1:1":   "at most 32 MiB",
		"suci bench --key " + bad + " --sizes 100G 127.0.0.1:1": "at most 32 MiB",
		"suci ping --key /nowhere 127.0.0.1:1":                  "pvasrun suci key makes one",
		"suci ping --key " + bad:                                "name one server",
		"suci serve --key " + bad + " --listen x":               "--listen",
		"bench suci --part x":                                   "name one of pingpong",
		"bench suci --carrier x":                                "name one of suci",
		"bench suci --sizes 100G":                               "at most 32 MiB",
		"bench suci --loss 1":                                   "a share below 1",
		"bench suci --rate 5X":                                  "is no rate",
		"bench suci --nodes 1":                                  "2 to 250",
		"bench suci --rate 1":                                   "--rate: at least 8k",
		"bench suci --rate 1M --buffer 1":                       "--buffer: at least 4KiB",
		"bench suci --plot /nowhere/x.svg": "--plot: open /nowhere/x.svg: no " +
			"such file or directory",
		"bench exchange --buffer 0":             "--buffer: at least 4KiB",
		"bench exchange --plot /nowhere/x.html": "--plot: open /nowhere",
		"suci ping --key " + bad + " n1:7470":   "an address and a port, such as 10.1.0.2:7470, and no name",
	} {
		got := command(t, nil, strings.Fields(args)...)
		require.NotEqual(t, 0, got.code, args)
		require.Contains(t, got.stderr, want, args)
	}
}

// What all nodes do is measured on two, too.
func TestBenchSuciOnTwoNodes(t *testing.T) {
	needNamespaces(t)
	got := command(t, nil, strings.Fields("bench suci --nodes 2 --part gather --part bcast --sizes 64 --every 1ms "+
		"--carrier suci --json")...)
	require.Equal(t, 0, got.code, got.stderr)
	require.Len(t, lines(got.stdout), 2, got.stdout)
	require.Contains(t, got.stdout, `"experiment":"gather","carrier":"suci","links":"unlimited","nodes":2,"bytes":64`)
}
