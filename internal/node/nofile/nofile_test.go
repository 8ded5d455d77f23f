package nofile_test

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/nofile"
)

const impersonate = "NOFILE_TEST_PRINT"

func TestMain(m *testing.M) {
	if os.Getenv(impersonate) != "" {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &now); err != nil {
			panic(err)
		}
		soft, hard, ok := nofile.Original()
		fmt.Println(soft, hard, ok, now.Cur > soft)
		return
	}
	os.Exit(m.Run())
}

// This file must stay outside the package: its imports would delay it.

// The library raises the limit of the child before main; the value it was
// started with must have been read before that.
func TestOriginalIsReadBeforeTheLibraryRaisesTheLimit(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command("/bin/sh", "-c", `ulimit -Sn 123 && ulimit -Hn 456 && exec "$0"`, self)
	cmd.Env = append(os.Environ(), impersonate+"=1")
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, "123 456 true true\n", string(out))
}
