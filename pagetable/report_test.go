package pagetable

import (
	"encoding/json"
	"errors"
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
		"model, every rank touching 2097152 bytes of every rank: 64 separate processes +16384 KiB, one address space +256 KiB",
		"",
	}, "\n")
	r := testReport()
	require.Equal(t, want, r.String())

	var b strings.Builder
	n, err := r.WriteTo(&b)
	require.NoError(t, err)
	require.EqualValues(t, len(want), n)
	require.Equal(t, want, b.String())

	r.SystemFolded = false
	require.Contains(t, r.String(), "counters may be late")
	require.NotPanics(t, func() { _ = Report{}.String() })
}

func TestReportJSON(t *testing.T) {
	text, err := json.Marshal(testReport())
	require.NoError(t, err)
	require.JSONEq(t, `{"btl":"pvas","spaces":1,"ranks":64,
		"vmpte_kib":3712,"vmpte_per_rank_kib":58,"vmpte_growth_kib":256,
		"rss_kib":181072,"rss_growth_kib":131072,"pss_kib":171072,"pss_growth_kib":131072,
		"areas":1728,"areas_per_rank":27,
		"system_pagetable_kib":4200,"system_memory_kib":180000,"system_folded":true,
		"shared_bytes":2097152,"model_separate_kib":16384,"model_shared_kib":256}`, string(text))
	var back Report
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, testReport(), back)
}

// failAfter takes n bytes and then fails.
type failAfter struct{ n int }

var errFull = errors.New("no space left")

func (f *failAfter) Write(p []byte) (int, error) {
	if len(p) > f.n {
		return f.n, errFull
	}
	f.n -= len(p)
	return len(p), nil
}

func TestReportWriteError(t *testing.T) {
	for _, room := range []int{0, 1, 100, 400} {
		n, err := testReport().WriteTo(&failAfter{room})
		require.ErrorIs(t, err, errFull)
		require.LessOrEqual(t, n, int64(room))
	}
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
