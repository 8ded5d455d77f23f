package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/trace/replay"
	"github.com/gopvas/gopvas/trace"
)

// TestFilesAreCounted: --stats and --trace say the same of what ranks read and write, with the program's places.
func TestFilesAreCounted(t *testing.T) {
	program := programs.Build(t, "../../internal/rig/testdata/files")
	ways := [][]string{{"--hosts", "a:2,b:1", "--rsh", hereAs(t)}}
	for _, btl := range models(t) {
		ways = append(ways, []string{"-n", "3", "--btl", btl})
	}
	for _, way := range ways {
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
