package limits

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestCPUQuota(t *testing.T) {
	const v1 = "39 31 0:36 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
	for _, c := range []struct {
		name, cgroup, mounts string
		files                map[string]string
		want                 float64
	}{
		{"version 2", "0::/a\n", mountV2, map[string]string{"cg2/a/cpu.max": "150000 100000\n"}, 1.5},
		{"none", "0::/a\n", mountV2, map[string]string{"cg2/a/cpu.max": "max 100000\n"}, 0},
		{"a group above has less", "0::/a/b\n", mountV2, map[string]string{
			"cg2/a/b/cpu.max": "400000 100000\n", "cg2/a/cpu.max": "100000 100000\n"}, 1},
		{"a group above has more", "0::/a/b\n", mountV2, map[string]string{
			"cg2/a/b/cpu.max": "50000 100000\n", "cg2/a/cpu.max": "100000 100000\n"}, 0.5},
		{"the root of a namespace", "0::/\n", mountV2, map[string]string{"cg2/cpu.max": "200000 100000\n"}, 2},
		{"outside of a namespace", "0::/../x\n", mountV2, map[string]string{"cg2/cpu.max": "200000 100000\n"}, 2},
		{"version 1", "3:cpu,cpuacct:/x\n0::/y\n", v1 + mountV2, map[string]string{
			"cg/cpu/x/cpu.cfs_quota_us": "300000\n", "cg/cpu/x/cpu.cfs_period_us": "200000\n"}, 1.5},
		{"version 1, none", "3:cpu,cpuacct:/x\n", v1, map[string]string{
			"cg/cpu/x/cpu.cfs_quota_us": "-1\n", "cg/cpu/x/cpu.cfs_period_us": "100000\n"}, 0},
		{"not mounted", "3:cpu:/x\n", mountV2, map[string]string{"cg2/x/cpu.max": "100000 100000\n"}, 0},
	} {
		root := fstest.MapFS{
			"proc/self/cgroup":    {Data: []byte(c.cgroup)},
			"proc/self/mountinfo": {Data: []byte(c.mounts)},
		}
		for name, text := range c.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		require.Equal(t, c.want, CPUQuota(root), c.name)
	}
	require.Zero(t, CPUQuota(fstest.MapFS{}))
}

func TestCPUsWithinQuota(t *testing.T) {
	for _, c := range []struct {
		quota float64
		want  int
	}{{0, 4}, {0.1, 1}, {1, 1}, {1.5, 2}, {4, 4}, {64, 4}} {
		require.Equal(t, c.want, withinQuota(4, c.quota), c.quota)
	}
}

func FuzzParseQuota(f *testing.F) {
	for _, text := range []string{"max 100000\n", "150000 100000\n", "-1 100000", "1 0", "", "1 2 3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := parseQuota(text)
		require.GreaterOrEqual(t, q, 0.0)
		require.Positive(t, withinQuota(4, q))
		require.LessOrEqual(t, withinQuota(4, q), 4)
	})
}
