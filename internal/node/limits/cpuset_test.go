package limits

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestCpuset(t *testing.T) {
	const v1 = "39 31 0:36 / /cg/cpuset rw - cgroup cgroup rw,cpuset\n"
	for _, c := range []struct{ name, cgroup, mounts, file, text, want string }{
		{"version 2", "0::/a\n", mountV2, "cg2/a/cpuset.cpus.effective", "1,3,5\n", "1,3,5"},
		{"of a group above", "0::/a/b\n", mountV2, "cg2/cpuset.cpus.effective", "0-3\n", "0-3"},
		{"an empty one", "0::/a\n", mountV2, "cg2/a/cpuset.cpus.effective", "\n", ""},
		{"version 1", "3:cpuset:/x\n0::/y\n", v1 + mountV2, "cg/cpuset/x/cpuset.effective_cpus", "2\n", "2"},
		{"not mounted", "3:cpuset:/x\n", mountV2, "cg2/x/cpuset.cpus.effective", "2\n", ""},
	} {
		root := fstest.MapFS{
			"proc/self/cgroup":    {Data: []byte(c.cgroup)},
			"proc/self/mountinfo": {Data: []byte(c.mounts)},
			c.file:                {Data: []byte(c.text)},
		}
		require.Equal(t, c.want, Cpuset(root), c.name)
	}
	require.Empty(t, Cpuset(fstest.MapFS{}))
}
