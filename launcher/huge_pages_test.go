package launcher

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/pvas"
)

// The memory of the space host keeps small pages, also where ranks may have transparent huge ones.
func TestHostKeepsSmallPages(t *testing.T) {
	if err := pvas.Supported(); err != nil {
		t.Skip(err)
	}
	var status, areas []byte
	j := ranks(btlPvas, 1, "exit", "0")
	j.Started = func(p Processes) {
		status, _ = os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Host))
		areas, _ = os.ReadFile(fmt.Sprintf("/proc/%d/smaps", p.Host))
	}
	out := run(t, j)
	require.NoError(t, out.err)
	enabled := regexp.MustCompile(`THP_enabled:\s+(\d)`).FindSubmatch(status)
	if enabled == nil {
		t.Skip("the kernel has no transparent huge pages, or does not tell")
	}
	given, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	require.NoError(t, err)
	if !strings.Contains(string(given), "[always]") { // with it they come when all ranks are in Init: see package host
		require.Equal(t, map[bool]string{true: "0", false: "1"}[host.SmallPages()], string(enabled[1]))
	}
	require.Regexp(t, `(?m)^VmFlags:.* nh`, string(areas))
}
