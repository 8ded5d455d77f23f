package limits

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// file is one file of a made-up machine.
func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// ordinary is a machine with usual settings.
func ordinary() fstest.MapFS {
	return fstest.MapFS{
		"proc/sys/vm/max_map_count":     file("65530\n"),
		"proc/sys/kernel/threads-max":   file("192731\n"),
		"proc/sys/kernel/pid_max":       file("32768\n"),
		"proc/sys/vm/overcommit_memory": file("0\n"),
		"proc/loadavg":                  file("1.37 1.58 0.82 1/87 7369\n"),
		"proc/meminfo": file(
			"MemTotal: 24684096 kB\nCommitLimit:    12342048 kB\nCommitted_AS:      54048 kB\n"),
		"proc/self/cgroup":         file("0::/user/job\n"),
		"proc/self/mountinfo":      file("41 31 0:38 / /cg rw,relatime shared:9 - cgroup2 cgroup2 rw\n"),
		"cg/user/pids.max":         file("1000\n"),
		"cg/user/pids.current":     file("40\n"),
		"cg/user/job/pids.max":     file("max\n"),
		"cg/user/job/pids.current": file("30\n"),
	}
}

// source answers with the given resource limits; others do not limit.
func given(uid int, limits map[int]uint64) source {
	get := func(resource int) uint64 {
		if v, ok := limits[resource]; ok {
			return v
		}
		return sys.Unlimited
	}
	return source{soft: get, hard: get, uid: uid}
}

func TestReadLimits(t *testing.T) {
	root := ordinary()
	root["proc/7/status"] = file("Name:\tx\nUid:\t1000\t0\t0\t0\nThreads:\t5\n")
	root["proc/8/status"] = file("Uid:\t1001\t1001\t1001\t1001\nThreads:\t50\n")
	limits := read(root, given(1000, map[int]uint64{
		sys.RlimitAS: 1 << 37, sys.RlimitNofile: 4096, sys.RlimitNproc: threadsOfJob + 5 + 600,
		sys.RlimitData: dataPerProcess + 33*dataPerRank,
	}))
	want := map[string]uint64{ // ranks
		"vm.max_map_count":   (65530 - areasOfHost) / AreasPerRank,
		"RLIMIT_AS":          (1<<37 - 64<<20) / (2<<30 + 64<<20),
		"RLIMIT_DATA":        33,
		"RLIMIT_NPROC":       100,
		"RLIMIT_NOFILE":      (4096 - filesOfSupervisor) / 2,
		"kernel.threads-max": (192731 - 87) / 6,
		"kernel.pid_max":     (32768 - 87) / 6,
		"cgroup pids.max":    157,
	}
	for _, l := range limits {
		require.Empty(t, l.Error, l.Name)
		if l.Name == "RLIMIT_STACK" { // says how large a stack is, and not how many ranks there may be
			require.Nil(t, l.Ranks)
			continue
		}
		require.Positive(t, l.PerRank, l.Name)
		if l.Name == "vm.overcommit_memory" {
			require.Nil(t, l.Ranks)
			continue
		}
		require.NotNil(t, l.Ranks, l.Name)
		require.Equal(t, want[l.Name], *l.Ranks, l.Name)
		delete(want, l.Name)
	}
	require.Empty(t, want, "limits not reported")

	c := capacities(limits)
	require.Equal(t, "pvas", c[0].BTL)
	require.EqualValues(t, 33, *c[0].Ranks)
	require.Equal(t, "RLIMIT_DATA", c[0].Limit)
	require.Equal(t, "sm", c[1].BTL)
	require.EqualValues(t, 100, *c[1].Ranks, "limits per address space do not add up over processes")
	require.Equal(t, "RLIMIT_NPROC", c[1].Limit)
}

// limit returns the named one.
func limit(t *testing.T, limits []Limit, name string) Limit {
	t.Helper()
	for _, l := range limits {
		if l.Name == name {
			return l
		}
	}
	require.Fail(t, "no such limit", name)
	return Limit{}
}

func TestRootHasNoProcessLimit(t *testing.T) {
	l := limit(t, read(ordinary(), given(0, map[int]uint64{sys.RlimitNproc: 1})), "RLIMIT_NPROC")
	require.Nil(t, l.Ranks)
	require.Equal(t, rootNote, l.Note)
}

// A stack of more than the usual size counts in one address space: as data, and where memory is committed
// strictly. Without a limit it is made to fit.
func TestLargeStacks(t *testing.T) {
	root := ordinary()
	root["proc/sys/vm/overcommit_memory"] = file("2\n")
	root["proc/meminfo"] = file("CommitLimit: 104857600 kB\nCommitted_AS: 0 kB\n") // 100 GiB
	for stack, want := range map[uint64][2]uint64{
		8 << 20:                {100 << 10 / 52, 100 << 10 / 64},
		1 << 30:                {100 << 10 / (1024 + 44), 100 << 10 / (1024 + 56)},
		uint64(sys.Unlimited):  {100 << 10 / 52, 100 << 10 / 64},
		sys.Unlimited - 100000: {0, 0},
	} {
		list := read(root, given(0, map[int]uint64{sys.RlimitStack: stack, sys.RlimitData: dataPerProcess + 100<<30}))
		data := limit(t, list, "RLIMIT_DATA")
		require.Equal(t, want[0], *data.Ranks, stack)
		require.Equal(t, moreStack(stackOf(given(0, map[int]uint64{sys.RlimitStack: stack}))) > 0,
			strings.Contains(data.Fix, "--stack-size"), stack)
		for _, c := range capacities(list) {
			const pids = 157 // of ordinary
			wants := map[string]uint64{"pvas": min(want[0], want[1], pids), "sm": pids}[c.BTL]
			require.Equal(t, wants, *c.Ranks, "%s, stack of %d", c.BTL, stack)
		}
	}
}

func TestStrictOvercommit(t *testing.T) {
	root := ordinary()
	root["proc/sys/vm/overcommit_memory"] = file("2\n")
	l := limit(t, read(root, given(0, nil)), "vm.overcommit_memory")
	require.EqualValues(t, (12342048-54048)/1024/64, *l.Ranks)

	root["proc/meminfo"] = file("CommitLimit: 5 kB\n")
	l = limit(t, read(root, given(0, nil)), "vm.overcommit_memory")
	require.Nil(t, l.Ranks)
	require.Contains(t, l.Error, "Committed_AS missing")
}

// A limit that is used up allows no rank, not a huge number of them.
func TestLimitUsedUp(t *testing.T) {
	root := ordinary()
	root["cg/user/pids.current"] = file("1001\n")
	limits := read(root, given(0, nil))
	require.EqualValues(t, 0, *limit(t, limits, "cgroup pids.max").Ranks)
	require.EqualValues(t, 0, *capacities(limits)[1].Ranks)
}

// A machine without any of the files has no known limits and says why.
func TestLimitsUnreadable(t *testing.T) {
	limits := read(fstest.MapFS{}, given(0, nil))
	require.ErrorIs(t, func() error { _, err := readThreads(fstest.MapFS{}); return err }(), fs.ErrNotExist)
	require.NotEmpty(t, limit(t, limits, "vm.max_map_count").Error)
	for _, c := range capacities(limits) {
		require.Nil(t, c.Ranks)
	}
	root := ordinary()
	root["proc/sys/kernel/pid_max"] = file("many\n")
	require.Contains(t, limit(t, read(root, given(0, nil)), "kernel.pid_max").Error, "many")
}

// A start is refused exactly where the report says that it cannot be.
func TestCheckAgreesWithTheReport(t *testing.T) {
	for name, set := range map[string]func(fstest.MapFS, map[int]uint64){
		"vm.max_map_count": func(root fstest.MapFS, _ map[int]uint64) {
			root["proc/sys/vm/max_map_count"] = file("500")
		},
		"RLIMIT_AS":     func(_ fstest.MapFS, r map[int]uint64) { r[sys.RlimitAS] = 20 << 30 },
		"RLIMIT_NPROC":  func(_ fstest.MapFS, r map[int]uint64) { r[sys.RlimitNproc] = 50 },
		"RLIMIT_NOFILE": func(_ fstest.MapFS, r map[int]uint64) { r[sys.RlimitNofile] = 80 },
		"kernel.threads-max": func(root fstest.MapFS, _ map[int]uint64) {
			root["proc/sys/kernel/threads-max"] = file("180")
		},
		"kernel.pid_max":  func(root fstest.MapFS, _ map[int]uint64) { root["proc/sys/kernel/pid_max"] = file("180") },
		"cgroup pids.max": func(root fstest.MapFS, _ map[int]uint64) { root["cg/user/pids.max"] = file("100") },
		"vm.overcommit_memory": func(root fstest.MapFS, _ map[int]uint64) {
			root["proc/sys/vm/overcommit_memory"] = file("2")
			root["proc/meminfo"] = file("CommitLimit: 9000000 kB\nCommitted_AS: 8000000 kB\n")
		},
	} {
		root, resources := ordinary(), map[int]uint64{}
		set(root, resources)
		all := read(root, given(1000, resources))
		l := limit(t, all, name)
		require.Positive(t, *l.Ranks, name)
		everything := func(*Limit) bool { return true }
		require.NoError(t, check(all, int(*l.Ranks), everything), name)
		err := check(all, int(*l.Ranks)+1, everything)
		var low *Error
		require.ErrorAs(t, err, &low, name)
		require.Equal(t, l.Title, low.Limit)
		require.Equal(t, *l.Value, low.Have)
		require.Greater(t, low.Need, low.Have)
		require.LessOrEqual(t, low.Need-l.PerRank, low.Have)
		require.NotEmpty(t, low.Fix)
		require.NoError(t,
			check(all, 1<<20, func(o *Limit) bool { return o.Name == "RLIMIT_AS" && name != "RLIMIT_AS" }))
	}
}

// What counts in one address space only does not keep classic processes from starting,
// nor does the supervisor's limit a space.
func TestWhoMeetsWhichLimit(t *testing.T) {
	require.NoError(t, Job(1, 0, true))
	require.NoError(t, Space(1))
	var low *Error
	require.ErrorAs(t, Job(1<<40, 0, true), &low)
	require.ErrorAs(t, Space(1<<40), &low)
	require.Equal(t, "vm.max_map_count", low.Limit)
	if sys.SoftLimit(sys.RlimitAS) == sys.Unlimited {
		require.NoError(t, Partitions(1<<10, 1<<35))
	}
}

// Only what helps is advised: smaller partitions where they are not the least, and files for the
// output, which need no descriptor here, where there are none.
func TestAdvice(t *testing.T) {
	low := given(0, map[int]uint64{sys.RlimitAS: 20 << 30, sys.RlimitNofile: 80})
	require.NotContains(t, addressSpace(low, MinPartition).Fix, "--partition-size")
	require.Contains(t, addressSpace(low, 2*MinPartition).Fix, "--partition-size")
	all := read(ordinary(), low)
	require.ErrorContains(t, check(all, 1000, concernsJob(true)), "--output-dir")
	require.NoError(t, check(all, 100, concernsJob(false)))
}

// With less than one process needs, no task model is of use, and none is advised.
func TestLimitsOfEveryProcess(t *testing.T) {
	for resource, need := range map[int]uint64{sys.RlimitAS: addressSpacePerProcess, sys.RlimitData: dataPerProcess,
		sys.RlimitStack: LeastStack} {
		all := read(ordinary(), given(0, map[int]uint64{resource: need - 1}))
		for _, c := range capacities(all) {
			require.Zero(t, *c.Ranks, c.BTL)
		}
		var low *Error
		require.ErrorAs(t, check(all, 1, concernsJob(true)), &low)
		require.Equal(t, need, low.Need)
		require.NotContains(t, low.Fix, "sm")
		all = read(ordinary(), given(0, map[int]uint64{resource: need}))
		require.NoError(t, check(all, 1, concernsJob(true)))
	}
}

// The areas of a job are held against vm.max_map_count, with those of the host.
func TestAreas(t *testing.T) {
	root := fstest.MapFS{
		"proc/sys/vm/max_map_count": file("5000\n"),
		"proc/7/maps":               file(strings.Repeat("area\n", 3000)),
		"proc/8/maps":               file(strings.Repeat("area\n", 2900)),
	}
	require.NoError(t, checkAreas(root, 5000-areasOfHost))
	var low *Error
	require.ErrorAs(t, checkAreas(root, 5001-areasOfHost), &low)
	require.Equal(t, uint64(5001), low.Need)
	require.ErrorAs(t, checkAreasTaken(root, 7), &low)
	require.NoError(t, checkAreasTaken(root, 8))
	require.NoError(t, checkAreasTaken(root, 9), "a process that has ended")
	require.NoError(t, checkAreas(fstest.MapFS{}, 1<<40), "a limit that cannot be read")
}
