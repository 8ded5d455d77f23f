package pvas

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// The assembly knows the structures by numbers.
func TestAssemblyOffsets(t *testing.T) {
	source, err := os.ReadFile("clone_amd64.s")
	require.NoError(t, err)
	defines := map[string]uintptr{}
	for _, m := range regexp.MustCompile(`(?m)^#define (\w+) (\d+)$`).FindAllStringSubmatch(string(source), -1) {
		n, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		defines[m[1]] = uintptr(n)
	}
	var s script
	var c call
	for name, want := range map[string]uintptr{
		"script_calls": unsafe.Offsetof(s.calls), "script_count": unsafe.Offsetof(s.count),
		"script_entry": unsafe.Offsetof(s.entry), "script_state": unsafe.Offsetof(s.state),
		"script_failed": unsafe.Offsetof(s.failed), "script_errno": unsafe.Offsetof(s.errno),
		"script_done": unsafe.Offsetof(s.done), "call_size": unsafe.Sizeof(c),
		"call_nr": unsafe.Offsetof(c.nr), "call_args": unsafe.Offsetof(c.args),
		"stateReady": stateReady,
	} {
		require.Contains(t, defines, name)
		require.Equal(t, want, defines[name], name)
	}
}
