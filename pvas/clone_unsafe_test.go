//go:build amd64 || arm64

package pvas

import (
	"os"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// The assembly knows the structures by numbers.
func TestAssemblyOffsets(t *testing.T) {
	for arch := range machines {
		t.Run(arch, func(t *testing.T) { checkOffsets(t, defines(t, "clone_"+arch+".s")) })
	}
	own := defines(t, "clone_"+runtime.GOARCH+".s")
	require.EqualValues(t, syscall.SYS_CLONE, own["SYS_clone"])
	require.EqualValues(t, syscall.SYS_EXIT_GROUP, own["SYS_exit_group"])
	require.EqualValues(t, syscall.SYS_FUTEX, own["SYS_futex"])
}

// defines returns the numbers that a file of assembly gives names to.
func defines(t *testing.T, file string) map[string]uintptr {
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	defines := map[string]uintptr{}
	for _, m := range regexp.MustCompile(`(?m)^#define (\w+) (\d+)$`).FindAllStringSubmatch(string(source), -1) {
		n, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		defines[m[1]] = uintptr(n)
	}
	return defines
}

func checkOffsets(t *testing.T, defines map[string]uintptr) {
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
