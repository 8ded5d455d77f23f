package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestModelRun(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		require.NoError(t, os.WriteFile(dir+"/"+name, []byte(text), 0o600))
		return dir + "/" + name
	}
	good := file("good.goal", "num_ranks 2\nrank 0 {\nsend 10b to 1\n}\nrank 1 {\nrecv 10b from 0\n}\n")

	got := command(t, nil, "model", "run", good, "--param", "L=100,o=10,G=2,S=50", "--model", "loggops")
	require.Equal(t, 0, got.code, got.stderr)
	require.Equal(t, "0 10\n1 138\n", got.stdout) // L + 2o + 9G

	got = command(t, nil, "model", "run", good)
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "--param is missing: write for example --param myrinet")

	got = command(t, nil, "model", "run", "--param", "myrinet", "--json", good)
	require.Equal(t, 0, got.code, got.stderr)
	var r modelResult
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &r))
	require.Equal(t, 3, r.Events)
	require.InDelta(t, 2*6730+850+10*(5.02+4.72+15.17), r.Time, 1e-6)
	require.InDelta(t, 6730+50.2, r.Ranks[0].Spent["overhead"], 1e-6)

	params := file("p.json", `{"model":"LogGPS","version":1,"links":[{"name":"x","params":{"L":7,"s":99,"S":99}}]}`)
	got = command(t, nil, "model", "run", good, "--param", params)
	require.Equal(t, "0 0\n1 7\n", got.stdout)

	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{good, "--param", "L=5,S=0", "--model", "loggps"}, 0, ""},
		{[]string{file("lost.goal", "num_ranks 2\nrank 0 {\nsend 10b to 1\n}\n"), "--param", "L=1"}, 1, "lost.goal:3: send 10 B to rank 1"},
		{[]string{file("cycle.goal", "num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}\n"), "--param", "L=1"}, 1, "cycle.goal:3: this operation waits for itself"},
		{[]string{file("bad.goal", "num_ranks 1\nrank 0 {\ncalc -1\n}\n"), "--param", "L=1"}, 2, "bad.goal:3: calc -1 is out of range"},
		{[]string{good}, 2, "param"},
		{[]string{good, "--param", "L=x"}, 2, "NAME=NUMBER"},
		{[]string{good, "--param", "nothing.json"}, 2, "nothing.json"},
		{[]string{"--param", "L=1"}, 2, "name one GOAL file"},
		{[]string{good, "--param", "myrinet", "--model", "loggops"}, 2, "make Oss, Ors, Osl, Orl equal"},
	} {
		got := command(t, nil, append([]string{"model", "run"}, c.args...)...)
		require.Equal(t, c.code, got.code, "%v: %s", c.args, got.stderr)
		require.Contains(t, got.stderr, c.says)
	}
	got = command(t, nil, "model")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "pvasrun model run FILE.goal")
}
