package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipe gets what a file would. One that nobody reads is refused before anything is measured.
func TestOutputToPipe(t *testing.T) {
	dir := t.TempDir()
	pipe, times, results := filepath.Join(dir, "pipe"), filepath.Join(dir, "times.csv"), filepath.Join(dir, "results")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	writeTimes(t, times)
	got := command(t, nil, "bench", "pingpong", "--btl", "sm", "--sizes", "8", "--reps", "1", "--json")
	require.Equal(t, 0, got.code, got.stderr)
	require.NoError(t, os.WriteFile(results, []byte(got.stdout), 0o600))
	for flag, args := range map[string][]string{
		`"links"`: {"model", "fit", "--from", times, "-o", pipe},
		"rtt,":    {"model", "fit", "--from", times, "--samples", pipe},
		"<svg":    {"model", "fit", "--from", times, "--plot", pipe},
		"<html":   {"bench", "report", results, "-o", pipe},
	} {
		got := command(t, nil, args...)
		require.NotZero(t, got.code, args)
		require.Contains(t, got.stderr, "no program reads the pipe: start one before, such as cat "+pipe, args)
		read := make(chan string, 1)
		go func() {
			text, _ := os.ReadFile(pipe)
			read <- string(text)
		}()
		for got.code != 0 && strings.Contains(got.stderr, "no program reads") { // the reader may not have opened it yet
			got = command(t, nil, args...)
		}
		require.Equal(t, 0, got.code, "%q: %s", args, got.stderr)
		require.Contains(t, <-read, flag, args)
	}
}

// A link to a file that is not there stays, and so does its target's absence.
func TestLinkToNoFileIsWritable(t *testing.T) {
	dir := t.TempDir()
	link, target := filepath.Join(dir, "link"), filepath.Join(dir, "target")
	require.NoError(t, os.Symlink("target", link))
	require.NoError(t, writable(link))
	_, err := os.Lstat(link)
	require.NoError(t, err)
	require.NoFileExists(t, target)
}

// What could not be written whole is not left, also behind a link. Devices and pipes stay.
func TestNothingHalfIsLeft(t *testing.T) {
	full := errors.New("no space left on device")
	half := func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, full)
	}
	dir := t.TempDir()
	file, link, null, pipe := filepath.Join(dir, "page.html"), filepath.Join(dir, "link"), filepath.Join(dir, "null"), filepath.Join(dir, "pipe")
	require.NoError(t, os.Symlink("page.html", link))
	require.NoError(t, os.Symlink(os.DevNull, null))
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0)
	require.NoError(t, err)
	defer reader.Close()
	for _, name := range []string{file, link, null, pipe} {
		require.ErrorIs(t, writeNamed(name, "", 0, half), full)
		require.NoFileExists(t, file)
	}
	for _, name := range []string{link, null, pipe} {
		_, err := os.Lstat(name)
		require.NoError(t, err)
	}
}
