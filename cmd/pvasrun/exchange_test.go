package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/neighbors"
	"github.com/gopvas/gopvas/internal/lab/bench/transport"
)

// needNamespaces skips a test where no network namespaces can be made.
func needNamespaces(t *testing.T) {
	t.Helper()
	if err := transport.ErrCluster(); err != nil {
		t.Skip(err)
	}
	if out, err := exec.Command("unshare", "--net", "ip", "link", "add", "name", "sw", "type",
		"bridge").CombinedOutput(); err != nil {
		t.Skipf("no network can be made here: %v: %s", err, out)
	}
}

// An exchange over devices of namespaces gives a result for each form and length, which a page can
// be made of, and a picture.
func TestBenchExchange(t *testing.T) {
	needNamespaces(t)
	dir := t.TempDir()
	got := command(t, nil, "bench", "exchange", "--devices", "3", "--neighbors", "4", "--sizes", "1K,128K", "--rate",
		"1G", "--every", "1ms", "--json", "--plot", dir+"/x.html")
	require.Equal(t, 0, got.code, got.stderr)
	var names []string
	lines := strings.Split(strings.TrimSpace(strings.Split(got.stdout, "see ")[0]), "\n")
	for _, line := range lines {
		var r neighbors.Result
		require.NoError(t, json.Unmarshal([]byte(line), &r), line)
		names = append(names, r.Contestant)
		require.Equal(t, []any{"exchange", "4", 3, 2}, []any{r.Benchmark, r.Neighbors, r.Devices, r.Ranks})
		require.GreaterOrEqual(t, r.Repetitions, 3)
		require.Positive(t, r.Median)
		if r.Bytes > 1<<10 {
			require.Positive(t, r.Formula, line)
		}
	}
	require.Equal(t, strings.Fields("auto plain wrap steps stripe auto plain wrap steps stripe"), names)
	page, err := os.ReadFile(dir + "/x.html")
	require.NoError(t, err)
	require.Contains(t, string(page), "rank 1, device 2")
	require.Contains(t, string(page), "</i>message 3</span>", "a colour for each message")
	require.NoError(t, os.WriteFile(dir+"/r.json", []byte(strings.Join(lines, "\n")), 0o600))
	got = command(t, nil, "bench", "report", dir+"/r.json", "-o", dir+"/r.html")
	require.Equal(t, 0, got.code, got.stderr)
}

// Open MPI makes the same exchange over all devices, by connections of its own and by MPTCP.
func TestBenchExchangeBesidePeers(t *testing.T) {
	needNamespaces(t)
	for _, tool := range []string{"mpicc.openmpi", "mpirun.openmpi", "mptcpize"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed (Debian: openmpi-bin libopenmpi-dev mptcpize)", tool)
		}
	}
	if _, err := os.Stat("/proc/sys/net/mptcp/enabled"); err != nil {
		t.Skipf("this kernel has no MPTCP: %v", err)
	}
	got := command(t, nil, "bench", "exchange", "--devices", "2", "--neighbors", "3", "--sizes", "64K", "--rate", "1G",
		"--every", "1ms", "--exchange", "auto", "--compare", "openmpi,mptcp", "--rounds", "1")
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `auto +formula +openmpi +ratio +mptcp +ratio\n`, got.stdout)
	require.Regexp(t, `(?m)^ +65536( +[0-9.]+){9}$`, got.stdout)
}

// A halo on nodes that are named, and the mistakes of the command line.
func TestBenchExchangeOnHosts(t *testing.T) {
	got := command(t, nil, "bench", "exchange", "--hosts", "a:1,b:2", "--rsh", hereAs(t), "--neighbors", "halo",
		"--sizes", "8K", "--every", "1ms", "--exchange", "wrap", "--copy")
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `wrap +MB/s +formula +wrap-copy +MB/s +formula\n`, got.stdout)
	require.Contains(t, got.stdout, "# exchange, halo neighbors, 3 ranks, 1 device, ms")
	require.Regexp(t, `(?m)^ +8192 +\d+ `, got.stdout)
	for args, says := range map[string]string{
		"--neighbors 0":            "is no number of neighbors from 1 to",
		"--sizes 0":                "from 1 byte",
		"--hosts a:2 --rsh x":      "name two nodes or more",
		"--devices eth0":           "without --hosts give a number from 1 to 8",
		"--devices 9":              "without --hosts give a number from 1 to 8",
		"--nodes 1":                "--nodes: 1 is below 2",
		"--compare mpich":          `"mpich" is not a list of openmpi, mptcp`,
		"--rounds -1":              "at least one is needed",
		"--exchange fast":          "write auto, plain, wrap, steps or stripe",
		"--every 0s":               "write for example 2s",
		"--hosts a,b --hostfile x": "give one of them",
	} {
		got := command(t, nil, append([]string{"bench", "exchange"}, strings.Fields(args)...)...)
		require.Equal(t, 2, got.code, args)
		require.Contains(t, got.stderr, says, args)
	}
}
