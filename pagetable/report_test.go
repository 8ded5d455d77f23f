package pagetable

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func testReport() Report {
	before := Memory{PageTables: 2_000, MemAvailable: 900_000, Folded: true}
	start := Sample{Job: Sum{1, 64, Usage{VmPTE: 3_456, RSS: 50_000, PSS: 40_000, Areas: 1_700}}}
	end := Sample{
		Job:    Sum{1, 64, Usage{VmPTE: 3_712, RSS: 181_072, PSS: 171_072, Areas: 1_728}},
		System: Memory{PageTables: 6_200, MemAvailable: 720_000, Folded: true},
	}
	return NewReport("pvas", 2*mib, before, start, end)
}

func TestReportText(t *testing.T) {
	want := strings.Join([]string{
		"page tables and memory: btl pvas, 64 ranks in 1 address space",
		"                          total     per rank     since Init",
		"page tables KiB            3712         58.0           +256",
		"RSS KiB                  181072       2829.2        +131072",
		"PSS KiB                  171072       2673.0        +131072",
		"memory areas               1728         27.0",
		"whole machine since before the job: page tables +4200 KiB, memory used +180000 KiB",
		"model, every rank touching 2097152 bytes of every rank: 64 separate processes +16384 KiB, one " +
			"address space +256 KiB",
		"",
	}, "\n")
	r := testReport()
	require.Equal(t, want, r.String())

	r.SystemFolded = false
	require.Contains(t, r.String(), "counters may be late")
	r.SystemPageTableKiB, r.SystemMemoryKiB = -1, -2
	require.Contains(t, r.String(), "page tables -, memory used - (")
	require.NotPanics(t, func() { _ = Report{}.String() })
}

func TestTake(t *testing.T) {
	s, err := Take([]int{os.Getpid()}, 3)
	require.NoError(t, err)
	require.Equal(t, 3, s.Job.Ranks)
	require.Positive(t, s.Job.VmPTE)
	require.Positive(t, s.System.PageTables)
	_, err = Take(nil, 3)
	require.Error(t, err)
}
