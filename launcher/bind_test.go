package launcher

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/topology"
	"github.com/gopvas/gopvas/internal/node/topology/topologytest"
)

// seatsOn are those of a job that may use some CPUs of a machine.
func seatsOn(s topologytest.Shape, usable ...int) seats {
	if usable == nil {
		usable = s.All()
	}
	return seats{cpus: usable, atOnce: len(usable), machine: topology.Read(s.FS(), usable)}
}

func TestParseBinding(t *testing.T) {
	cases := []struct {
		text string
		want []string // of ranks 0 to 3
	}{
		{"", []string{"", "", "", ""}},
		{"none", []string{"", "", "", ""}},
		{"auto", []string{"", "", "", ""}},
		{"core", []string{"0", "1", "2", "3"}},
		{"l3", []string{"0-3", "0-3", "0-3", "0-3"}},
		{"l3cache", []string{"0-3", "0-3", "0-3", "0-3"}},
		{"numa", []string{"0-3", "0-3", "0-3", "0-3"}},
		{"package", []string{"0-3,8", "0-3,8", "0-3,8", "0-3,8"}},
		{"3", []string{"3", "3", "3", "3"}},
		{"0,2,1-3", []string{"0", "2", "1-3", "0"}},
		{"8-8,0-1", []string{"8", "0-1", "8", "0-1"}},
	}
	for _, c := range cases {
		b, err := ParseBinding(c.text)
		require.NoError(t, err, c.text)
		s := seatsOn(topologytest.Board, 0, 1, 2, 3, 8)
		require.NoError(t, b.check(s.cpus))
		s.add(b, 4)
		for rank, want := range c.want {
			require.Equal(t, want, topology.FormatList(s.sets[rank]), "%s, rank %d", c.text, rank)
		}
	}
	b, err := ParseBinding("2-8")
	require.NoError(t, err)
	require.ErrorContains(t, b.check([]int{0, 1, 2, 3, 8}), "CPU 4 is not one of those this job may use: 0-3,8")
}

func TestParseBindingRefuses(t *testing.T) {
	for _, text := range []string{"cores", ",", "1,", "3-1", "-", "1-", "-1", "1-2-3", "65536",
		"0-99999999999999999999", "0x1", " 1", "+1"} {
		_, err := ParseBinding(text)
		require.ErrorContains(t, err, "use auto, none, core, l3, numa, socket or a list", text)
	}
}

// By default ranks are bound where the CPUs are the job's own and enough, and where they are dealt to domains.
func TestBindingByDefault(t *testing.T) {
	auto := Binding{To: bindAuto}
	for _, c := range []struct {
		name    string
		binding Binding
		own     string
		ranks   int
		want    string // of rank 1
	}{
		{"shared CPUs", auto, "", 4, ""},
		{"own CPUs", auto, "a cpuset", 4, "8-15"},
		{"own CPUs, one rank each", auto, "a cpuset", 32, "1"},
		{"own CPUs, fewer than one and a half", auto, "a cpuset", 31, "1"},
		{"too many ranks", auto, "a cpuset", 33, ""},
		{"mapped", Binding{To: bindAuto, By: "numa"}, "", 4, "8-15"},
		{"mapped to cores", Binding{To: bindAuto, By: "core"}, "", 4, "1"},
		{"several cores", Binding{To: bindAuto, CPUs: 2}, "", 4, "2-3"},
		{"own CPUs, too few for several cores", Binding{To: bindAuto, CPUs: 2}, "a cpuset", 4, "2-3"},
		{"allotted cores, shared CPUs", Binding{To: bindAuto, CPUs: 2, Allotted: true}, "", 4, ""},
		{"allotted cores", Binding{To: bindAuto, CPUs: 2, Allotted: true}, "Slurm", 4, "2-3"},
		{"mapped and not bound", Binding{To: "none", By: "numa"}, "a cpuset", 4, ""},
	} {
		s := seatsOn(topologytest.Board)
		s.own = c.own
		s.add(c.binding, c.ranks)
		require.Equal(t, c.want, topology.FormatList(s.sets[1]), c.name)
	}
}

// A rank cannot have more cores than there are CPUs, which is no matter if it is not bound, or nobody has asked.
func TestCoresThatAreNotThere(t *testing.T) {
	for _, b := range []Binding{{To: bindAuto, CPUs: 4}, {To: "l3", CPUs: 4}, {By: "numa", To: bindAuto, CPUs: 4}} {
		require.EqualError(t, b.check([]int{1, 3, 5}), "launcher: 4 cores for each rank: this job has CPU 1,3,5 "+
			"alone: ask for fewer (--cpus-per-rank), or write --bind none")
		b.CPUs = 3
		require.NoError(t, b.check([]int{1, 3, 5}))
	}
	for _, b := range []Binding{{CPUs: 4}, {To: "none", CPUs: 4}, {Sets: [][]int{{1}}, CPUs: 4},
		{To: bindAuto, CPUs: 4, Allotted: true}} {
		require.NoError(t, b.check([]int{1, 3, 5}))
	}
}

// Ranks that start later take CPUs that are free.
func TestLaterRanksHaveOtherCPUs(t *testing.T) {
	s := seatsOn(topologytest.Board)
	s.add(Binding{To: "core"}, 3)
	s.add(Binding{To: "core"}, 2)
	require.Equal(t, [][]int{{0}, {1}, {2}, {3}, {4}}, s.sets)
	s = seatsOn(topologytest.Board)
	s.add(Binding{Sets: [][]int{{5}, {6}}}, 1)
	s.add(Binding{Sets: [][]int{{5}, {6}}}, 2)
	require.Equal(t, [][]int{{5}, {5}, {6}}, s.sets)
}

func TestDomainOfARank(t *testing.T) {
	s := seatsOn(topologytest.Board)
	for _, c := range []struct {
		set  []int
		want job.Domain
	}{
		{[]int{5}, job.Domain{L3: 1, NUMA: 0}},
		{[]int{4, 7}, job.Domain{L3: 1, NUMA: 0}},
		{[]int{0, 7}, job.Domain{L3: job.Unknown, NUMA: 0}},
		{[]int{0, 31}, job.NoDomain},
		{[]int{99}, job.NoDomain},
		{s.of(nil), job.NoDomain},
	} {
		require.Equal(t, c.want, s.domain(c.set), "%v", c.set)
	}
	one := seatsOn(topologytest.Shape{Packages: 1, Nodes: 1, L3s: 1, Cores: 4, Threads: 1})
	require.Equal(t, job.Domain{NUMA: job.Unknown}, one.domain(one.of(nil)), "all CPUs are in one domain")
	require.Equal(t, ": core 4-5, L3 domain 1, NUMA node 0, socket 0", s.nameDomains([]int{4, 5}))
	one = seatsOn(topologytest.Shape{Packages: 1, Nodes: 1, L3s: 1, Cores: 1, Threads: 2})
	require.Equal(t, "", one.nameDomains([]int{0}))
}

// Ranks that share a CPU outnumber the CPUs, also where others are free.
func TestEnoughCPUs(t *testing.T) {
	s := seatsOn(topologytest.Board)
	require.Equal(t, 32, s.enough([][]int{nil, nil}))
	require.Equal(t, 32, s.enough([][]int{{0}, {1}, {2, 3}, {2, 3}}))
	require.Equal(t, 1, s.enough([][]int{{0}, {0}, {1}}))
	require.Equal(t, 32, s.enough(make([][]int, 100)))
	require.Equal(t, 4, s.enough([][]int{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {4}, {5}}))
	s.atOnce = 3 // a control group says so
	require.Equal(t, 3, s.enough([][]int{nil, nil, nil, nil}))
	require.Equal(t, 1, s.enough([][]int{{0}, {0}, {1}}))
	require.Equal(t, 3, s.enough([][]int{{0}, {1}, {2}, {3}}))
}

// What parses comes back as the same binding.
func FuzzParseBinding(f *testing.F) {
	for _, seed := range []string{"none", "core", "0,2,4-7", "1-", "1023", "0-1023,0-1023", "l3cache", "package"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := ParseBinding(text)
		if err != nil {
			require.Zero(t, b)
			return
		}
		again, err := ParseBinding(b.String())
		require.NoError(t, err)
		require.Equal(t, b, again)
	})
}
