package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/memory"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

func onlyInOneSpace(t *testing.T) {
	t.Helper()
	if len(models(t)) < 2 {
		t.Skip("one address space is not supported")
	}
}

func TestPartitionSize(t *testing.T) {
	onlyInOneSpace(t)
	got := command(t, nil, "--btl", "pvas", "--partition-size", "1G", "--dry-run", "-n", "3", "cat")
	require.Equal(t, 0, got.code, got.stderr)
	require.Equal(t, 3, strings.Count(got.stdout, " + 1024 MiB"), got.stdout)
	got = command(t, nil, "--btl", "pvas", "--partition-size", "3G", "cat")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "power of two")
}

// The advice shows in the flags of the arenas' memory areas.
func TestHugePages(t *testing.T) {
	onlyInOneSpace(t)
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil {
		t.Skip("this kernel has no transparent huge pages")
	}
	advised := func(flags ...string) bool {
		args := append(append([]string{"--btl", "pvas", "-n", "1"}, flags...), "grep", "-c",
			"^VmFlags:.* hg", "/proc/self/smaps")
		return strings.TrimSpace(command(t, nil, args...).stdout) != "0"
	}
	require.True(t, advised("--huge-pages", "transparent"))
	require.False(t, advised())
}

// Reserved pages take no table pages, as transparent ones do.
func TestReservedPages(t *testing.T) {
	onlyInOneSpace(t)
	const ranks, tables = 4, 4 // of 2 MiB in 8 MiB
	total := testkit.ReservedPages(t, ranks*tables)
	growth := func(pages string) int64 {
		got := command(t, nil, "bench", "touch", "-n", strconv.Itoa(ranks), "--size", "8M", "--btl", "pvas", "--json",
			"--huge-pages", pages)
		require.Equal(t, 0, got.code, got.stderr)
		var r memory.TouchResult
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &r))
		return r.PageTableGrowthKiB
	}
	require.GreaterOrEqual(t, growth("transparent"), int64(ranks*tables*4))
	require.LessOrEqual(t, growth("reserved"), int64(ranks*4+4), "what else is touched after Init")

	got := command(t, nil, "bench", "touch", "-n", "2", "--size", fmt.Sprintf("%dM", 2*total), "--btl", "pvas",
		"--huge-pages", "reserved")
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stderr, "warning: --huge-pages reserved: ", "the pages are enough for one of two ranks")
}

func TestThousandRanks(t *testing.T) {
	onlyInOneSpace(t)
	hello := programs.Build(t, "../../examples/hello")
	got := command(t, nil, "--btl", "pvas", "--timeout", "120", "-n", "1000", hello)
	require.Equal(t, 0, got.code, got.stderr)
	ranks := map[string]bool{}
	for _, l := range lines(got.stdout) {
		name, _, _ := strings.Cut(l, ",")
		ranks[name] = true
	}
	require.Len(t, ranks, 1000)
	require.True(t, ranks["rank 999 of 1000"])
}

// Ranks that wait for long leave the CPUs alone, and so do the monitors of their runtimes. A monitor looks a hundred
// times a second at a rank that does not seem to rest.
func TestRanksThatSleepRest(t *testing.T) {
	asleep := programs.Build(t, "./testdata/asleep")
	for _, model := range turn(t, 0) {
		got := command(t, nil, "--btl", model, "--timeout", "120", "-n", "64", asleep)
		require.Equal(t, 0, got.code, got.stderr)
		var switches, areas int
		_, err := fmt.Sscan(got.stdout, &switches, &areas)
		require.NoError(t, err, got.stdout)
		require.Less(t, switches, 100, "changes of threads a rank in 3 s")
		if model == "pvas" {
			require.LessOrEqual(t, areas, mostAreas(t), "memory areas a rank")
		}
	}
}

// mostAreas is how many memory areas an idle rank has. Where the kernel cannot be asked for areas, or memory is
// limited, ranks do not merge theirs.
func mostAreas(t *testing.T) int {
	maps, err := os.Open("/proc/self/maps")
	require.NoError(t, err)
	defer maps.Close()
	strict, err := os.ReadFile("/proc/sys/vm/overcommit_memory")
	require.NoError(t, err)
	_, err = sys.AreaFrom(maps, 0)
	if err != nil || strings.HasPrefix(string(strict), "2") || sys.SoftLimit(sys.RlimitData) != sys.Unlimited {
		return 25
	}
	return 17
}
