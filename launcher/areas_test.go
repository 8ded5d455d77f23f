package launcher

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/pvas"
)

// maxAreas is the kernel's limit, where it is so low that a test can meet it.
func maxAreas(t *testing.T) int {
	t.Helper()
	if err := pvas.Supported(); err != nil {
		t.Skip(err)
	}
	text, err := os.ReadFile("/proc/sys/vm/max_map_count")
	require.NoError(t, err)
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	if n > 300_000 {
		t.Skip("vm.max_map_count is too high to be met: ", n)
	}
	return n
}

// Programs with many libraries do not begin what cannot be finished.
func TestTooManyAreas(t *testing.T) {
	most := maxAreas(t)
	perl, err := exec.LookPath("perl")
	if err != nil {
		t.Skip(err)
	}
	areas, err := pvas.Areas(perl, os.Environ())
	require.NoError(t, err)
	j := Job{Apps: []App{{Program: perl, N: most/int(areas) + 1}}}
	j.Output.GoTo(t.TempDir())
	plan, err := DryRun(t.Context(), j)
	require.NoError(t, err)
	require.Equal(t, job.BTLSM, plan.BTL)
	require.Regexp(t, `^vm.max_map_count is \d+, the job needs \d+: raise it with sysctl`, plan.Reason)
	j.BTL = btlPvas
	_, err = DryRun(t.Context(), j)
	var limit *LimitError
	require.ErrorAs(t, err, &limit)
	j.Apps[0].N = (most - 100) / int(areas)
	_, err = DryRun(t.Context(), j)
	require.NoError(t, err)
}

// Where a rank maps more than was foreseen, the limit is named when it fails.
func TestAreasAreNamedWhenTheyRunOut(t *testing.T) {
	maxAreas(t)
	out := run(t, ranks(btlPvas, 2, "-only", "1", "areas"))
	require.NoError(t, out.err)
	require.NotZero(t, out.Code)
	require.Regexp(t, `(?m)^pvasrun: the address space is full: vm.max_map_count is \d+, the job needs \d+: raise it`,
		out.stderr)
}
