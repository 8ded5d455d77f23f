package cluster

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseHosts(t *testing.T) {
	hosts, err := ParseHosts("a:4,b,[fe80::1]:2,fe80::2,a:1")
	require.NoError(t, err)
	require.Equal(t, []Host{{"a", 5}, {"b", 0}, {"fe80::1", 2}, {"fe80::2", 0}}, hosts)
	for _, bad := range []string{"", "a:", "a:0", "a:-1", "a:x", "a:99999999999", "a:65537", "-oProxyCommand=x",
		"a b", "a,,b", "n[3-1]", "n[1-", "a'b", "a=2", "a;b", "a$b", "\ufeffa"} {
		_, err := ParseHosts(bad)
		require.Error(t, err, bad)
	}
	hosts, err = ParseHosts("n[1-2,07]:4,[fe80::1]:2,m1")
	require.NoError(t, err)
	require.Equal(t, []Host{{"n1", 4}, {"n2", 4}, {"n07", 4}, {"fe80::1", 2}, {"m1", 0}}, hosts)
	of, err := (&Nodes{Hosts: hosts, Of: []int{1, 0, 1}}).deal(2)
	require.NoError(t, err)
	require.Equal(t, []int{1, 0}, of)
	_, err = (&Nodes{Hosts: hosts, Of: []int{1, 0, 1}}).deal(4)
	require.ErrorContains(t, err, "there are places for 3 ranks, and the job has 4")
	const file = "# nodes\n\nn1 slots=4 max_slots=8\nn2:2 # old\nn3\r\nn4 slots = 3\n"
	hosts, err = parseHostfile(strings.NewReader(file), "f")
	require.NoError(t, err)
	require.Equal(t, []Host{{"n1", 4}, {"n2", 2}, {"n3", 0}, {"n4", 3}}, hosts)
	require.Equal(t, 10, Slots(hosts), "a host without a number takes one rank")
	for bad, says := range map[string]string{"# none\n": "names no host", "a\nb slots=x\n": `line 2: "x" is no number`,
		"a slots=2 slots=3": "two numbers", "a:2 slots=2": "two numbers",
		"a cpu=3": `line 1: "cpu=3" means nothing here`,
		"a b":     "write the name of one host", "a,b": "no name of a host", "slots=4": "no name of a host",
		"a slots": "no number", "a slots=4 max_slots=2": "write slots=2", "a max-slots=2": "write slots=2",
		strings.Repeat("x", 1<<17): "a line is longer than"} {
		_, err := parseHostfile(strings.NewReader(bad), "f")
		require.ErrorContains(t, err, says)
	}
}

func TestDeal(t *testing.T) {
	for _, c := range []struct {
		hosts []Host
		ranks int
		want  []int
	}{
		{[]Host{{"a", 4}, {"b", 4}}, 8, []int{4, 4}},
		{[]Host{{"a", 4}, {"b", 4}}, 5, []int{4, 1}},
		{[]Host{{"a", 4}, {"b", 0}}, 5, []int{4, 1}},
		{[]Host{{"a", 0}, {"b", 0}}, 5, []int{3, 2}},
		{[]Host{{"a", 0}, {"b", 0}, {"c", 0}}, 1, []int{1, 0, 0}},
		{[]Host{{"a", 1}, {"b", 1}}, 3, nil},
	} {
		got, err := Deal(c.hosts, c.ranks)
		require.Equal(t, c.want == nil, err != nil, c)
		require.Equal(t, c.want, got, c)
	}
}

func TestDealByNode(t *testing.T) {
	for _, c := range []struct {
		hosts []Host
		ranks int
		want  []int
	}{
		{[]Host{{"a", 4}, {"b", 4}}, 5, []int{0, 1, 0, 1, 0}},
		{[]Host{{"a", 4}, {"b", 1}}, 5, []int{0, 1, 0, 0, 0}},
		{[]Host{{"a", 2}, {"b", 2}, {"c", 0}}, 5, []int{0, 1, 2, 0, 1}},
		{[]Host{{"a", 0}, {"b", 0}}, 5, []int{0, 1, 0, 1, 0}},
		{[]Host{{"a", 0}, {"b", 0}, {"c", 0}}, 1, []int{0}},
		{[]Host{{"a", 1}, {"b", 1}}, 3, nil},
	} {
		got, err := (&Nodes{Hosts: c.hosts, ByNode: true}).deal(c.ranks)
		require.Equal(t, c.want == nil, err != nil, c)
		require.Equal(t, c.want, got, c)
	}
}

func TestSlurmHosts(t *testing.T) {
	env := map[string]string{
		"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[08-10,2],login,m[1-2]x",
		"SLURM_JOB_CPUS_PER_NODE": "4(x3),2,8(x3)",
	}
	get := func(name string) string { return env[name] }
	hosts, ok, err := SlurmHosts(get)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, []Host{{"n08", 4}, {"n09", 4}, {"n10", 4}, {"n2", 2}, {"login", 8}, {"m1x", 8}, {"m2x", 8}}, hosts)
	env["SLURM_NTASKS"], env["SLURM_TASKS_PER_NODE"] = "7", "1(x7)"
	hosts, _, err = SlurmHosts(get)
	require.NoError(t, err)
	require.Equal(t, 1, hosts[0].Slots)
	for _, bad := range []string{"n[1-2", "n[2-1]", "n[a-b]"} {
		env["SLURM_JOB_NODELIST"] = bad
		_, _, err = SlurmHosts(get)
		require.Error(t, err, bad)
	}
	env["SLURM_STEP_NODELIST"] = "n1"
	_, ok, _ = SlurmHosts(get)
	require.False(t, ok, "srun has started this process already")
	env["SLURM_JOB_NODELIST"], env["SLURM_STEP_ID"] = "n1", "4294967290"
	_, ok, err = SlurmHosts(get)
	require.NoError(t, err)
	require.True(t, ok, "the shell of an allocation")
}

// Without a number of tasks there is a task for so many CPUs as somebody wants for each.
func TestSlurmTasks(t *testing.T) {
	env := map[string]string{"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "a,b", "SLURM_JOB_CPUS_PER_NODE": "8(x2)",
		"SLURM_TASKS_PER_NODE": "2(x2)"}
	for _, want := range []int{8, 2} {
		hosts, _, err := SlurmHosts(func(name string) string { return env[name] })
		require.NoError(t, err)
		require.Equal(t, []Host{{"a", want}, {"b", want}}, hosts)
		env["SLURM_CPUS_PER_TASK"] = "4"
	}
}

func FuzzHosts(f *testing.F) {
	f.Add("a:4,b,[fe80::1]:2", "n[1-3,7]x,m", "4(x2),1")
	f.Fuzz(func(t *testing.T, hosts, nodes, counts string) {
		if list, err := ParseHosts(hosts); err == nil {
			for _, h := range list {
				require.NotEmpty(t, h.Name)
				require.GreaterOrEqual(t, h.Slots, 0)
			}
		}
		_, _ = parseHostfile(strings.NewReader(hosts), "f")
		if len(nodes) < 20 {
			_, _ = expandNodes(nodes)
		}
		_, _ = expandCounts(counts)
	})
}

func TestChooseHosts(t *testing.T) {
	node := func(network, reached string, addresses ...string) *ready {
		r := &ready{Network: network}
		if reached != "" {
			r.Below.Here = netip.AddrPortFrom(netip.MustParseAddr(reached), 22)
		}
		for _, a := range append([]string{"127.0.0.1/8"}, addresses...) {
			r.Addresses = append(r.Addresses, netip.MustParsePrefix(a))
		}
		return r
	}
	for name, c := range map[string]struct {
		nodes   []*ready
		network string
		want    string
		bad     int
	}{
		"one machine": {[]*ready{node("x", "", "10.0.0.1/24"), node("x", "")}, "", "127.0.0.1 127.0.0.1", -1},
		"common network": {[]*ready{node("x", "", "10.0.0.1/24", "10.9.0.1/16"), node("y", "", "10.9.3.2/16")}, "",
			"10.9.0.1 10.9.3.2", -1},
		"that of ssh": {[]*ready{node("x", "", "10.0.0.1/24", "10.9.0.1/16"),
			node("y", "10.9.3.2", "10.0.0.2/24", "10.9.3.2/16")}, "", "10.9.0.1 10.9.3.2", -1},
		"routed networks": {[]*ready{node("x", "", "10.0.0.1/24"), node("y", "", "10.1.0.2/24")}, "",
			"10.0.0.1 10.1.0.2", -1},
		"as asked": {[]*ready{node("x", "", "10.0.0.1/24", "10.9.0.1/16"),
			node("y", "", "10.0.0.2/24", "10.9.0.2/16")}, "10.9.0.0/16", "10.9.0.1 10.9.0.2", -1},
		"not there": {[]*ready{node("x", "", "10.9.0.1/16"), node("y", "", "10.0.0.2/24")}, "10.9.0.0/16", "", 1},
		"none":      {[]*ready{node("x", "", "10.9.0.1/16"), node("y", "")}, "", "", 1},
	} {
		var network netip.Prefix
		if c.network != "" {
			network = netip.MustParsePrefix(c.network)
		}
		hosts, bad := chooseHosts(c.nodes, network)
		require.Equal(t, c.bad, bad, name)
		require.Equal(t, c.want, strings.Trim(fmt.Sprint(hosts), "[]"), name)
	}
}

// A host outside the allocation is named itself: srun's message is about all that are asked for.
func TestHostsOutsideTheAllocation(t *testing.T) {
	l := &leader{agents: []*remote{{name: "n0"}, {name: "n3"}}}
	require.NoError(t, l.checkAllocation("n[0-3]"))
	require.NoError(t, l.checkAllocation(""), "nobody knows the allocation")
	err := l.checkAllocation("n[0-1]")
	require.ErrorContains(t, err, "node n3: it is not in the Slurm allocation (n[0-1])")
	var at *NodeError
	require.ErrorAs(t, err, &at)
	require.Equal(t, "n3", at.Node)
}
