package limits

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const (
	mountV2   = "41 31 0:38 / /cg2 rw,relatime - cgroup2 cgroup2 rw\n"
	mountPids = "39 31 0:36 / /cg/pids rw - cgroup cgroup rw,pids\n"
	mountCPU  = "32 31 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu\n"
)

func TestReadCgroupPids(t *testing.T) {
	u := func(v uint64) *uint64 { return &v }
	tests := []struct {
		name   string
		cgroup string
		mounts string
		files  map[string]string
		limit  *uint64
		used   uint64
	}{
		{name: "no limit", cgroup: "0::/\n", mounts: mountV2},
		{
			name: "own group", cgroup: "0::/a/b\n", mounts: mountV2,
			files: map[string]string{"cg2/a/b/pids.max": "50", "cg2/a/b/pids.current": "5", "cg2/a/pids.max": "max"},
			limit: u(50), used: 5,
		},
		{
			name: "a group above has less room", cgroup: "0::/a/b\n", mounts: mountV2,
			files: map[string]string{
				"cg2/a/b/pids.max": "50", "cg2/a/b/pids.current": "5",
				"cg2/a/pids.max": "60", "cg2/a/pids.current": "58",
			},
			limit: u(60), used: 58,
		},
		{
			name: "version 1", cgroup: "9:name=systemd:/x\n8:cpu,pids:/a\n1:cpu:/other\n0::/\n",
			mounts: mountCPU + mountPids + mountV2,
			files: map[string]string{
				"cg/pids/a/pids.max": "70", "cg/pids/a/pids.current": "1",
				"cg/cpu/other/pids.max": "1", "cg/cpu/other/pids.current": "1",
			},
			limit: u(70), used: 1,
		},
		{
			name: "only a part of the tree is mounted", cgroup: "0::/docker/c1/x\n",
			mounts: "41 31 0:38 /docker/c1 /cg2 rw - cgroup2 cgroup2 rw\n",
			files:  map[string]string{"cg2/x/pids.max": "9", "cg2/x/pids.current": "2"},
			limit:  u(9), used: 2,
		},
		{
			name: "outside what is mounted", cgroup: "0::/../other\n",
			mounts: "41 31 0:38 /docker/c1 /cg2 rw - cgroup2 cgroup2 rw\n",
			files:  map[string]string{"cg2/pids.max": "8", "cg2/pids.current": "2"},
			limit:  u(8), used: 2,
		},
		{name: "nonsense", cgroup: "x\n::\n\n", mounts: "a b - c\n - \n" + mountV2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := fstest.MapFS{
				"proc/self/cgroup":    file(tt.cgroup),
				"proc/self/mountinfo": file(tt.mounts),
			}
			for name, text := range tt.files {
				root[name] = file(text + "\n")
			}
			limit, used, err := readCgroupPids(root)
			require.NoError(t, err)
			require.Equal(t, tt.limit, limit)
			require.Equal(t, tt.used, used)
		})
	}
	_, _, err := readCgroupPids(fstest.MapFS{
		"proc/self/cgroup": file("0::/\n"), "proc/self/mountinfo": file(mountV2), "cg2/pids.max": file("lots\n"),
	})
	require.ErrorContains(t, err, "lots")
}

// Whatever the files say, reading them ends and names no file outside a mount.
func FuzzGroupFolders(f *testing.F) {
	f.Add("8:cpu,pids:/a\n0::/b\n", mountPids+mountV2)
	f.Add("0::/../..\n", "41 31 0:38 /docker /cg rw - cgroup2 cgroup2 rw\n")
	f.Fuzz(func(t *testing.T, cgroup, mounts string) {
		for _, g := range groupFolders(cgroup, mounts, "pids") {
			if g.top != "/" && g.top != "." {
				require.True(t, g.dir == g.top || len(g.dir) > len(g.top)+1 && g.dir[:len(g.top)+1] == g.top+"/",
					"%q is not below %q", g.dir, g.top)
			}
		}
		_, _, _ = readCgroupPids(fstest.MapFS{
			"proc/self/cgroup": file(cgroup), "proc/self/mountinfo": file(mounts),
		})
	})
}
