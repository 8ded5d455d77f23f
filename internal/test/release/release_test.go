package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestVersions(t *testing.T) {
	for text, want := range map[string]string{
		"v1.2.0-0-gabcdef012": "1.2.0", "v1.2.0-7-gabcdef012": "1.2.0+7.gabcdef012",
	} {
		got, err := parseDescription(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "1.2", "v1.2", "vx-0-g1"} {
		_, err := parseDescription(text)
		require.ErrorContains(t, err, "a tag of a release is such as v1.2.0", text)
	}
	for _, c := range []struct {
		a, b  string
		newer bool
	}{
		{"2.31", "2.31", false}, {"2.32", "2.31", true}, {"2.4", "2.31", false}, {"2.31.1", "2.31", true},
		{"2", "2.31", false},
	} {
		require.Equal(t, c.newer, newer(c.a, c.b), "%s %s", c.a, c.b)
	}
}

// A library that needs a newer C library than may be is found.
func TestSymbols(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	tree := t.TempDir()
	text, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(tree, "lib.so"), text, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(tree, "text"), []byte("text"), 0o644))
	require.NoError(t, checkSymbols(tree, "9.9"))
	if os.Getenv("CGO_ENABLED") != "0" {
		err = checkSymbols(tree, "2.0")
		if err == nil {
			t.Skip("this test is not linked with a C library")
		}
		require.ErrorContains(t, err, "there may be 2.0")
	}
}

// Two tarballs of one tree are equal, whatever the times of its files.
func TestTarball(t *testing.T) {
	tree := filepath.Join(t.TempDir(), "gopvas-1.0")
	require.NoError(t, writeNew(filepath.Join(tree, "bin/pvasrun"), []byte("text")))
	require.NoError(t, os.Chmod(filepath.Join(tree, "bin/pvasrun"), 0o755))
	require.NoError(t, os.Symlink("pvasrun", filepath.Join(tree, "bin/mpirun")))
	at := time.Unix(1_700_000_000, 0)
	var texts [2][]byte
	for i := range texts {
		require.NoError(t, os.Chtimes(filepath.Join(tree, "bin/pvasrun"), time.Now(), time.Unix(int64(i), 0)))
		file := filepath.Join(t.TempDir(), "t.tar.gz")
		require.NoError(t, writeTarball(file, tree, at))
		var err error
		texts[i], err = os.ReadFile(file)
		require.NoError(t, err)
	}
	require.Equal(t, texts[0], texts[1])
	zip, err := gzip.NewReader(strings.NewReader(string(texts[0])))
	require.NoError(t, err)
	var names []string
	for r := tar.NewReader(zip); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.True(t, h.ModTime.Equal(at))
		names = append(names, h.Name+" "+h.Linkname)
	}
	require.Equal(t, []string{"gopvas-1.0/ ", "gopvas-1.0/bin/ ", "gopvas-1.0/bin/mpirun pvasrun",
		"gopvas-1.0/bin/pvasrun "}, names)
}

// A package has each file of a tree once, and what distributions have places for is there.
func TestContents(t *testing.T) {
	tree := t.TempDir()
	for _, name := range []string{"bin/pvasrun", "share/man/man1/pvasrun.1", "share/doc/gopvas/README.md"} {
		require.NoError(t, writeNew(filepath.Join(tree, name), []byte("text")))
	}
	require.NoError(t, os.Symlink("pvasrun", filepath.Join(tree, "bin/mpirun")))
	var text strings.Builder
	require.NoError(t, listContents(&text, tree))
	for _, want := range []string{`dst: "/usr/lib/gopvas/bin/pvasrun"`, `dst: "/usr/share/man/man1/pvasrun.1"`,
		`dst: "/usr/share/doc/gopvas/README.md"`,
		"- dst: \"/usr/lib/gopvas/bin\"\n    type: dir\n    packager: rpm",
		"- dst: \"/usr/lib/gopvas\"\n    type: dir\n    packager: rpm",
		"- dst: \"/usr/share/doc/gopvas\"\n    type: dir\n    packager: rpm",
		"- src: \"pvasrun\"\n    dst: \"/usr/lib/gopvas/bin/mpirun\"\n    type: symlink"} {
		require.Equal(t, 1, strings.Count(text.String(), want), text.String())
	}
	require.Equal(t, 4, strings.Count(text.String(), "- src"))
	require.Equal(t, 3, strings.Count(text.String(), "type: dir"), text.String())
}
