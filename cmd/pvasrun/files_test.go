package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/replay"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/trace"
)

// waysOfFiles are three ranks on two nodes, and on one in the task model whose turn it is, or in each.
func waysOfFiles(t *testing.T, i int) [][]string {
	ways := [][]string{{"--hosts", "a:2,b:1", "--rsh", hereAs(t)}}
	for _, btl := range turn(t, i) {
		ways = append(ways, []string{"-n", "3", "--btl", btl})
	}
	return ways
}

// TestRankKilledInFile: a rank is killed while all write and read a file. The job ends and names the rank; nothing is
// left but the file that was written.
func TestRankKilledInFile(t *testing.T) {
	program := programs.Build(t, "../../internal/test/rig/testdata/files")
	r := testkit.Rand(t)
	for _, way := range waysOfFiles(t, 0) {
		for range testkit.Rounds(12) {
			dir := t.TempDir()
			after := fmt.Sprint(r.IntN(100_000))
			args := append([]string{"--timeout", "60"}, way...)
			got := command(t, nil, append(args, program, filepath.Join(dir, "f"), "1", "1000000", after)...)
			require.Equal(t, 128+int(syscall.SIGKILL), got.code, got.stderr)
			require.Contains(t, got.stderr, "rank 2 ")
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			for _, f := range left {
				require.Equal(t, "f", f.Name())
			}
		}
	}
}

// TestFilesAreCounted: --stats and --trace say the same of what ranks read and write, with the program's places.
func TestFilesAreCounted(t *testing.T) {
	program := programs.Build(t, "../../internal/test/rig/testdata/files")
	for _, way := range waysOfFiles(t, 1) {
		t.Run(strings.Join(way[:2], " "), func(t *testing.T) {
			dir := t.TempDir()
			recorded := filepath.Join(dir, "trace")
			args := append([]string{"--stats", "--trace", recorded, "--timeout", "60"}, way...)
			got := command(t, nil, append(args, program, filepath.Join(dir, "f"), "1", "3")...)
			require.Equal(t, 0, got.code, got.stderr)
			tr, err := trace.Open(recorded)
			require.NoError(t, err)
			require.NoError(t, tr.Cut)
			for rank, r := range tr.Ranks {
				var calls, bytes [2]uint64
				for _, e := range r.Calls() {
					if !e.Kind.File() {
						continue
					}
					require.Regexp(t, `main\.go:\d+$`, r.Sites[e.Site], e.Kind)
					switch e.Kind {
					case trace.FileRead, trace.FileReadAll:
						calls[0], bytes[0] = calls[0]+1, bytes[0]+e.Bytes
					case trace.FileWrite, trace.FileWriteAll:
						calls[1], bytes[1] = calls[1]+1, bytes[1]+e.Bytes
					}
				}
				require.EqualValues(t, 3+25, calls[1], "three rounds, and the records")
				const use = ` +(\d+) +(\d+) +\d+\.\d{3} +\S+`
				row := regexp.MustCompile(fmt.Sprintf(`(?m)^ +%d%s%s$`, rank, use, use)).FindStringSubmatch(got.stderr)
				require.NotNil(t, row, got.stderr)
				for i, want := range []uint64{calls[0], bytes[0], calls[1], bytes[1]} {
					require.Equal(t, strconv.FormatUint(want, 10), row[1+i], "rank %d: %s", rank, row[0])
				}
			}
			_, err = replay.New(tr, replay.Options{})
			require.NoError(t, err)
		})
	}
}

// TestWindowsAreCounted: so they do of operations on windows, and a model of the job knows their calls.
func TestWindowsAreCounted(t *testing.T) {
	program := programs.Build(t, "./testdata/windows")
	for _, way := range waysOfFiles(t, 0) {
		recorded := filepath.Join(t.TempDir(), "trace")
		args := append([]string{"--check", "--stats", "--trace", recorded, "--timeout", "60"}, way...)
		got := command(t, nil, append(args, program)...)
		require.Equal(t, 0, got.code, got.stderr)
		const row = `(?m)^ +%d +2 +112 +\S+ +\S+ +1 +40 +\S+ +\S+ +4 +56 +\S+ +\S+ +3 +\S+$`
		tr, err := trace.Open(recorded)
		require.NoError(t, err)
		for rank, r := range tr.Ranks {
			require.Regexp(t, fmt.Sprintf(row, rank), got.stderr)
			calls := map[trace.Kind]int{}
			for _, e := range r.Calls() {
				if e.Kind.Outside() {
					calls[e.Kind]++
					require.Regexp(t, `main\.go:\d+$`, r.Sites[e.Site], e.Kind)
				}
				if e.Kind == trace.WinPut {
					require.EqualValues(t, (rank+1)%3, e.Peer)
				}
			}
			want := map[trace.Kind]int{trace.WinPut: 2, trace.WinGet: 1, trace.WinAccumulate: 4, trace.WinFence: 3}
			require.Equal(t, want, calls)
		}
		_, err = replay.New(tr, replay.Options{})
		require.NoError(t, err)
		got = command(t, nil, "model", "show", "-o", recorded+".html", "--param", "myrinet", recorded)
		require.Equal(t, 0, got.code, got.stderr)
		got = command(t, nil, "trace", "perfetto", "-o", recorded+".perfetto", recorded)
		require.Equal(t, 0, got.code, got.stderr)
	}
}
