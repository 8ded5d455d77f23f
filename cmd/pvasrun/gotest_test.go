package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// Tests of a program are ranks of a job. One that fails fails go test.
func TestGoTest(t *testing.T) {
	goTest := func(flags, run string, args ...string) (string, error) {
		all := append(strings.Fields(flags), "-v", "-count=1", "-exec", pvasrun+" "+run+" -n 3", "../../examples/frame")
		out, err := exec.Command("go", append(append([]string{"test"}, all...), args...)...).CombinedOutput()
		return string(out), err
	}
	for _, btl := range turn(t, 0) {
		out, err := goTest("-buildmode=pie", "--btl "+btl)
		require.NoError(t, err, out)
		require.Equal(t, 3, strings.Count(out, "--- PASS: TestWork"), out)
	}
	if testkit.Long() { // the one that fails has no PIE either
		out, err := goTest("", "") // no PIE: processes
		require.NoError(t, err, out)
		require.Equal(t, 3, strings.Count(out, "--- PASS: TestWork"), out)
	}
	out, err := goTest("", "", "-args", "fail")
	require.Error(t, err)
	require.Contains(t, out, "rank 0 gives up")
	require.Regexp(t, `pvasrun: rank 0 \(.*\) on .* exited with code 1; ending the other`, out)
}

// GOFLAGS may ask for the race detector, which one address space does not go with.
func TestRaceDetector(t *testing.T) {
	if !testkit.Long() {
		t.Skip("it builds the Go library once more: TEST_LONG=1")
	}
	t.Setenv("GOFLAGS", "-trimpath -race")
	for btl, says := range map[string]string{
		"sm": "", "auto": "without -race", "pvas": "without -race",
	} {
		got := command(t, nil, "--btl", btl, "-n", "2", "../../examples/hello")
		require.Equal(t, btl == "pvas", got.code != 0, got.stderr)
		require.Contains(t, got.stderr, says)
	}
}
