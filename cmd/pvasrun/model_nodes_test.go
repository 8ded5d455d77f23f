package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/model"
)

// Messages between two nodes are a link of their own in the machine of the task model. A job that was recorded on
// several nodes is predicted with its ranks where they were.
func TestModelOverNodes(t *testing.T) {
	dir, rsh := t.TempDir(), hereAs(t)
	machine, one, job := dir+"/machine.json", dir+"/one.json", dir+"/pi.trace"
	got := command(t, nil, strings.Fields("model fit --hosts a:4,b --btl sm --caches warm --times 3 --largest 4K "+
		"--max-seconds 1 --ranks 0 --rsh "+rsh+" -o "+machine+" --samples "+dir+"/times.csv")...)
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stdout, "# sm-network\n")
	require.FileExists(t, dir+"/times-sm-network.csv")
	require.NoFileExists(t, dir+"/machine-sm-network.json")
	m, err := model.ReadMachine(machine)
	require.NoError(t, err)
	require.Len(t, m.Links, 2)
	require.Equal(t, []string{"sm-warm", "sm-network"}, []string{m.Links[0].Name, m.Links[1].Name})

	got = command(t, nil, "--hosts", "a:1,b:2,c:1", "--rsh", rsh, "--btl", "sm", "--trace", job,
		programs.Build(t, "../../examples/pi"))
	require.Equal(t, 0, got.code, got.stderr)
	predicted := func(file string) (r model.Result, stderr string) {
		got := command(t, nil, "model", "run", job, "--machine", file, "--json")
		require.Equal(t, 0, got.code, got.stderr)
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &r))
		return r, got.stderr
	}
	was, warned := predicted(machine)
	require.Empty(t, warned)
	const slower = 1e12 // nanoseconds: no job takes as long
	write := func(file string) {
		f, err := os.Create(file)
		require.NoError(t, err)
		require.NoError(t, m.Write(f))
		require.NoError(t, f.Close())
	}
	m.Links[1].Params.L += slower
	write(one)
	slow, _ := predicted(one)
	require.Less(t, was.Time, slower)
	require.Greater(t, slow.Time, slower, "messages between nodes take the second link")
	m.Links = m.Links[:1]
	write(one)
	_, warned = predicted(one)
	require.Contains(t, warned, "its ranks ran on several nodes, and "+one+" has one link")

	for args, says := range map[string]string{
		"--hosts a":                     "name two nodes or more",
		"--nodes 3":                     "each needs a rank, and there are 2",
		"--rate 1G":                     "give --nodes or --hosts",
		"--hosts a,b --from " + machine: "it has the times of one link",
	} {
		got := command(t, nil, append([]string{"model", "fit"}, strings.Fields(args)...)...)
		require.Equal(t, 2, got.code, args)
		require.Contains(t, got.stderr, says, args)
	}
}
