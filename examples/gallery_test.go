package examples_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A program of the gallery is read at one look.
func TestGalleryIsShort(t *testing.T) {
	programs, err := filepath.Glob("gallery/*/main.go")
	require.NoError(t, err)
	require.Len(t, programs, 5)
	for _, name := range programs {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.LessOrEqual(t, bytes.Count(text, []byte("\n")), 60, name)
	}
}

func TestGallery(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	// On a torus a glider is back at its place when it has gone around.
	glider := "010000000000\n001000000000\n111000000000\n" + strings.Repeat("000000000000\n", 9)
	texts := []string{"wordcount", "-top", "3"}
	for i := range 20 {
		texts = append(texts, file(fmt.Sprint("text", i), strings.Repeat("Ranks, in one ", 3)+strings.Repeat("in ", i)))
	}
	// Three squares, whose first corners come first.
	points := ""
	for _, d := range []int{-1, 1, -2, 2} {
		points += fmt.Sprintf("%d %d\n%d %d\n%d %d\n", d, d*d, 100+d, d*d, d, 100+d*d)
	}
	for _, p := range []struct {
		args []string
		want string
	}{
		{[]string{"halo", "-steps", "48", file("glider", glider)}, glider},
		{texts, "250 in\n60 one\n60 ranks\n"},
		{[]string{"kmeans", "-k", "3", file("points", points)}, "[(0+2.5i) (100+2.5i) (0+102.5i)]\n"},
		{[]string{"farm", "-below", "100000"}, "9592 primes; workers that have failed: 0\n"},
	} {
		t.Run(p.args[0], func(t *testing.T) {
			everywhere(t, func(t *testing.T, _ string, _ int, lines []string) {
				require.Equal(t, p.want, strings.Join(lines, "\n")+"\n")
			}, p.args...)
		})
	}
}

func TestSamplesort(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keys")
	keys := make([]int64, 20_000)
	for i := range keys {
		keys[i] = rand.Int64N(1000) - 500 // some many times
	}
	for _, keys := range [][]int64{nil, keys[:2], keys} {
		write := func() {
			text, err := binary.Append(nil, binary.NativeEndian, keys)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(name, text, 0o600))
		}
		write()
		everywhere(t, func(t *testing.T, _ string, _ int, _ []string) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			got := make([]int64, len(text)/8)
			_, err = binary.Decode(text, binary.NativeEndian, got)
			require.NoError(t, err)
			require.Equal(t, slices.Sorted(slices.Values(keys)), append([]int64(nil), got...))
			write()
		}, "samplesort", name)
	}
}
