package machine

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/sys"
)

// file is one file of a made-up machine.
func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// ordinary is a machine with usual settings.
func ordinary() fstest.MapFS {
	return fstest.MapFS{
		"proc/sys/vm/max_map_count":                                file("65530\n"),
		"proc/sys/kernel/threads-max":                              file("192731\n"),
		"proc/sys/kernel/pid_max":                                  file("32768\n"),
		"proc/sys/vm/overcommit_memory":                            file("0\n"),
		"proc/loadavg":                                             file("1.37 1.58 0.82 1/87 7369\n"),
		"proc/meminfo":                                             file("MemTotal: 24684096 kB\nCommitLimit:    12342048 kB\nCommitted_AS:      54048 kB\n"),
		"proc/self/cgroup":                                         file("0::/user/job\n"),
		"proc/self/mountinfo":                                      file("41 31 0:38 / /cg rw,relatime shared:9 - cgroup2 cgroup2 rw\n"),
		"cg/user/pids.max":                                         file("1000\n"),
		"cg/user/pids.current":                                     file("40\n"),
		"cg/user/job/pids.max":                                     file("max\n"),
		"cg/user/job/pids.current":                                 file("30\n"),
		"sys/kernel/mm/hugepages/README":                           file("not a page size"),
		"sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages":    file("7\n"),
		"sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages": file("0\n"),
		"sys/kernel/mm/transparent_hugepage/enabled":               file("always [madvise] never\n"),
		"sys/kernel/mm/transparent_hugepage/defrag":                file("defer\n"),
	}
}

// source answers with the given resource limits; others do not limit.
func source(uid int, limits map[int]uint64) limitSource {
	get := func(resource int) uint64 {
		if v, ok := limits[resource]; ok {
			return v
		}
		return sys.Unlimited
	}
	return limitSource{soft: get, hard: get, uid: uid}
}

func TestReadLimits(t *testing.T) {
	limits := readLimits(ordinary(), source(1000, map[int]uint64{
		sys.RlimitAS: 1 << 40, sys.RlimitNofile: 4096, sys.RlimitNproc: 605,
	}))
	want := map[string]uint64{ // ranks
		"vm.max_map_count":   (65530 - mapsOfHost) / 27,
		"RLIMIT_AS":          16,
		"RLIMIT_NPROC":       100,
		"RLIMIT_NOFILE":      (4096 - filesOfSupervisor) / 2,
		"kernel.threads-max": (192731 - 87) / 6,
		"kernel.pid_max":     (32768 - 87) / 6,
		"cgroup pids.max":    160,
	}
	for _, l := range limits {
		require.Empty(t, l.Error, l.Name)
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
	require.EqualValues(t, 16, *c[0].Ranks)
	require.Equal(t, "RLIMIT_AS", c[0].Limit)
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
	l := limit(t, readLimits(ordinary(), source(0, map[int]uint64{sys.RlimitNproc: 1})), "RLIMIT_NPROC")
	require.Nil(t, l.Ranks)
	require.Equal(t, rootNote, l.Note)
}

func TestStrictOvercommit(t *testing.T) {
	root := ordinary()
	root["proc/sys/vm/overcommit_memory"] = file("2\n")
	l := limit(t, readLimits(root, source(0, nil)), "vm.overcommit_memory")
	require.EqualValues(t, (12342048-54048)/1024/64, *l.Ranks)

	root["proc/meminfo"] = file("CommitLimit: 5 kB\n")
	l = limit(t, readLimits(root, source(0, nil)), "vm.overcommit_memory")
	require.Nil(t, l.Ranks)
	require.Contains(t, l.Error, "Committed_AS missing")
}

// A limit that is used up allows no rank, not a huge number of them.
func TestLimitUsedUp(t *testing.T) {
	root := ordinary()
	root["cg/user/pids.current"] = file("1001\n")
	limits := readLimits(root, source(0, nil))
	require.EqualValues(t, 0, *limit(t, limits, "cgroup pids.max").Ranks)
	require.EqualValues(t, 0, *capacities(limits)[1].Ranks)
}

// A machine without any of the files has no known limits and says why.
func TestLimitsUnreadable(t *testing.T) {
	limits := readLimits(fstest.MapFS{}, source(0, nil))
	require.ErrorIs(t, func() error { _, err := readThreads(fstest.MapFS{}); return err }(), fs.ErrNotExist)
	require.NotEmpty(t, limit(t, limits, "vm.max_map_count").Error)
	for _, c := range capacities(limits) {
		require.Nil(t, c.Ranks)
	}
	root := ordinary()
	root["proc/sys/kernel/pid_max"] = file("many\n")
	require.Contains(t, limit(t, readLimits(root, source(0, nil)), "kernel.pid_max").Error, "many")
}

func TestReadHugePages(t *testing.T) {
	h := readHugePages(ordinary())
	require.Equal(t, HugePages{
		Enabled:  "madvise",
		Defrag:   "defer",
		Reserved: []ReservedPages{{SizeKiB: 1048576, Count: 0}, {SizeKiB: 2048, Count: 7}},
	}, h)
	require.Equal(t, HugePages{Reserved: []ReservedPages{}}, readHugePages(fstest.MapFS{}))
}
