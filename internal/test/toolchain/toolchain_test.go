package toolchain

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "github.com/gopvas/gopvas/internal/capi/coro"
	_ "github.com/gopvas/gopvas/internal/node/nofile"
)

// envPart makes the test binary a process of a test.
const envPart = "TOOLCHAIN_TEST_PART"

// parts are what such a process does. It says what is wrong on its standard error.
var parts = map[string]func() error{"atomics": atomics, "nothing": func() error { return nil }}

// assumptions are the cases of TestToolchain.
var assumptions = []struct {
	name string
	test func(t *testing.T)
}{
	{"atomics between processes", testAtomics},
	{"foreign addresses", testForeignAddresses},
	{"memory stays", testMemoryStays},
	{"copies of a program", testCopies},
	{"coroutines", testCoroutines},
	{"order of initialisation", testInitialisation},
}

func TestMain(m *testing.M) {
	if part := os.Getenv(envPart); part != "" {
		if err := parts[part](); err != nil {
			_, _ = os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// process is this test binary as a part. It ends with the test, at the latest after a minute.
func process(t *testing.T, part string, env ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Env = append(append(os.Environ(), env...), envPart+"="+part)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

func TestToolchain(t *testing.T) {
	for _, a := range assumptions {
		t.Run(a.name, a.test)
	}
}

// testInitialisation: the packages that must come before others because they import nothing do so. internal/node/nofile
// reads the limit on files before syscall raises it; coro sets the number of slots before anything is allocated.
func testInitialisation(t *testing.T) {
	out, err := process(t, "nothing", "GODEBUG=inittrace=1").CombinedOutput()
	require.NoError(t, err, "%s", out)
	order, allocated := map[string]int{}, 0
	for i, line := range strings.Split(string(out), "\n") { // init PACKAGE @N ms, N ms clock, N bytes, N allocs
		words := strings.Fields(line)
		if len(words) != 11 || words[0] != "init" {
			continue
		}
		name, ours := strings.CutPrefix(words[1], "github.com/gopvas/gopvas/internal/")
		order[name] = i + 1
		bytes, err := strconv.Atoi(words[7])
		require.NoError(t, err, line)
		if order["capi/coro"] == 0 && !ours {
			allocated += bytes
		}
	}
	require.NotZero(t, order["capi/coro"], "%s", out)
	require.Zero(t, allocated, "bytes before coro was initialised\n%s", out)
	require.NotZero(t, order["node/nofile"], "%s", out)
	require.Less(t, order["node/nofile"], order["syscall"], "%s", out)
}
