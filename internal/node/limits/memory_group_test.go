package limits

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// The innermost group that has killed is named, in both versions.
func TestOutOfMemory(t *testing.T) {
	files := fstest.MapFS{}
	put := func(name, text string) { files[name] = &fstest.MapFile{Data: []byte(text)} }
	put("proc/self/cgroup", "4:memory:/m\n0::/a/b\n")
	put("proc/self/mountinfo", mountV2+mountCPU+"40 31 0:37 / /cg/memory rw - cgroup cgroup rw,memory\n")
	put("cg2/a/b/memory.max", "max\n")
	put("cg2/a/b/memory.events", "oom 0\noom_kill 0\n")
	put("cg2/a/memory.max", "1048576\n")
	put("cg2/a/memory.events", "low 0\noom 3\noom_kill 2\noom_group_kill 0\n")
	put("cg/memory/m/memory.limit_in_bytes", "2097152\n")
	put("cg/memory/m/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n")
	put("cg/memory/memory.limit_in_bytes", "9223372036854771712\n")
	put("cg/memory/memory.oom_control", "oom_kill 0\n")
	before := MemoryGroups(files)
	require.Len(t, before, 2)
	require.Nil(t, OutOfMemory(files, before))
	put("cg/memory/m/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n")
	require.Equal(t, "/cg/memory/m has a limit of 2 MiB", OutOfMemory(files, before).String())
	before = MemoryGroups(files)
	put("cg2/a/memory.events", "oom_kill 3\n")
	require.Equal(t, "/cg2/a has a limit of 1 MiB", OutOfMemory(files, before).String())
	require.Nil(t, OutOfMemory(files, nil))
	require.Empty(t, MemoryGroups(fstest.MapFS{}))
}
