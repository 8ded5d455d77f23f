package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/launcher"
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

// What could not be written whole is not left, also behind a link, and the file that was there stays. Devices
// and pipes stay.
func TestNothingHalfIsLeft(t *testing.T) {
	full := errors.New("no space left on device")
	half := func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, full)
	}
	dir := t.TempDir()
	file, link, null, pipe := filepath.Join(dir, "page.html"), filepath.Join(dir, "link"), filepath.Join(dir, "null"),
		filepath.Join(dir, "pipe")
	require.NoError(t, os.Symlink("page.html", link))
	require.NoError(t, os.Symlink(os.DevNull, null))
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0)
	require.NoError(t, err)
	defer reader.Close()
	for _, name := range []string{file, link, null, pipe} {
		require.ErrorIs(t, cli.WriteNamed(name, "", 0, half), full)
		require.NoFileExists(t, file)
	}
	for _, name := range []string{link, null, pipe} {
		_, err := os.Lstat(name)
		require.NoError(t, err)
	}
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o600))
	for _, name := range []string{file, link} {
		require.ErrorIs(t, cli.WriteNamed(name, "", 0, half), full)
	}
	staysAlone(t, file, "old", 4)
}

// Two outputs are no one file, by whatever names, and no output is an input: that is refused before anything is
// done. Any other file is replaced.
func TestOutputsApart(t *testing.T) {
	hello := programs.Build(t, "../../examples/hello")
	dir := t.TempDir()
	t.Chdir(dir)
	writeTimes(t, "times.csv")
	require.NoError(t, os.Mkdir("folder", 0o700))
	require.NoError(t, os.Symlink("new.json", "link"))
	require.NoError(t, os.Symlink(".", "here"))
	require.NoError(t, os.WriteFile("old", nil, 0o600))
	require.NoError(t, os.Link("old", "hard"))
	require.NoError(t, os.Link("times.csv", "times2"))
	got := command(t, nil, "--trace", "job.trace", "-n", "2", hello)
	require.Equal(t, 0, got.code, got.stderr)
	require.NoError(t, os.Symlink("job.trace", "job.html"))
	require.NoError(t, os.WriteFile("machine", nil, 0o600))
	got = command(t, nil, "model", "fit", "--from", "times.csv", "-o", "machine")
	require.Equal(t, 0, got.code, got.stderr)
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for args, says := range map[string]string{
		"model fit --from times.csv -o q.json --samples q.json": "-o and --samples both " +
			"name the file q.json",
		"model fit --from times.csv -o q.json --samples folder/.././q.json": "both name the file",
		"model fit --from times.csv --plot new.json --samples link": "--plot and --samples " +
			"both name the file link",
		"model fit --from times.csv --plot old --samples hard": "--plot and --samples " +
			"both name the file hard",
		"model fit --from times.csv -o q.json --plot " + dir + "/here/q.json": "-o and --plot both name the file",
		"model fit --btl pvas,sm --caches warm -o q.json " +
			"--samples q-sm-warm.json": "--samples and -o both name the file q-sm-warm.json",
		"model fit --from times.csv --samples times2": "--samples times2 would replace " +
			"the times of --from",
		"model show --param myrinet job.trace": "the page job.html would replace the " +
			"program: name another file; -o names a page",
		"model show --param myrinet job.trace -o here/job.trace": "-o here/job.trace would " +
			"replace the program",
		"model show --machine machine job.trace -o machine": "-o machine would replace the " +
			"parameters of --machine",
		"trace perfetto job.trace -o job.html": "-o job.html would replace the trace",
		"bench report old -o hard":             "-o hard would replace the results",
		"bench exchange --hostfile old --plot hard": "--plot hard would replace the " +
			"nodes of --hostfile",
		"--output-dir folder --trace here/folder/rank.0.stdout -n 1 true": "--trace here/folder/rank.0.stdout: the " +
			"output of a rank goes to that file",
	} {
		got := command(t, nil, strings.Fields(args)...)
		require.Equal(t, 2, got.code, args)
		require.Contains(t, got.stderr, says, args)
		require.Empty(t, got.stdout, args)
		left, err := os.ReadDir(".")
		require.NoError(t, err)
		require.Len(t, left, len(entries), args)
	}
	got = command(t, nil, "model", "fit", "--from", "times.csv", "-o", os.DevNull, "--samples",
		os.DevNull, "--plot", "old")
	require.Equal(t, 0, got.code, got.stderr)
}

// A flag for a file with an empty value is refused. A variable may be empty.
func TestEmptyNames(t *testing.T) {
	times := filepath.Join(t.TempDir(), "times.csv")
	writeTimes(t, times)
	for _, args := range [][]string{
		{"model", "fit", "--from", times, "-o", ""},
		{"model", "fit", "--from", times, "--samples="}, {"tune", "-o", ""},
		{"suci", "key", "-o", ""}, {"bench", "all", "--output="}, {"--trace", "", "true"}, {"--output-dir=", "true"},
		{"true", ":", "--wdir", "", "true"},
	} {
		got := command(t, nil, args...)
		require.Equal(t, 2, got.code, args)
		require.Contains(t, got.stderr, "its value is empty: write --", args)
	}
	got := command(t, env("PVASRUN_TRACE=", "PVASRUN_OUTPUT_DIR="), "-n", "1", "true")
	require.Equal(t, finished{}, got)
}

// staysAlone makes sure that a file has the text, in a folder with so many entries.
func staysAlone(t *testing.T, file, text string, entries int) {
	t.Helper()
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, text, string(have))
	list, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, list, entries)
}

// A signal while a file is written ends the writing. The file that was there stays, and nothing else.
func TestInterruptedWriteLeavesTheOldFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "machine.json")
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o600))
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		err := cli.WriteNamed(file, "", 0, func(w io.Writer) error {
			require.NoError(t, syscall.Kill(os.Getpid(), sig))
			for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
				if _, err := io.WriteString(w, "new"); err != nil {
					return fmt.Errorf("write: %w", err)
				}
			}
			return nil
		})
		require.ErrorIs(t, err, launcher.Interrupted{Signal: sig})
		staysAlone(t, file, "old", 1)
	}
}

// On a full disk every command leaves the result that is there, says so in one line, and leaves nothing else.
func TestFullDiskKeepsOldResults(t *testing.T) {
	canMount(t)
	dir := t.TempDir()
	times, recorded, results := filepath.Join(dir, "times.csv"), filepath.Join(dir, "trace"),
		filepath.Join(dir, "results")
	writeTimes(t, times)
	got := command(t, nil, "--trace", recorded, "-n", "2", programs.Build(t, "../../examples/hello"))
	require.Equal(t, 0, got.code, got.stderr)
	got = command(t, nil, "bench", "pingpong", "--btl", "sm", "--sizes", "8", "--reps", "1", "--json")
	require.Equal(t, 0, got.code, got.stderr)
	require.NoError(t, os.WriteFile(results, []byte(got.stdout), 0o600))
	disk := t.TempDir()
	const page = `<meta name="generator" content="pvasrun">`
	for args, old := range map[string]string{
		"model fit --from " + times + " -o":              `{"model": "LogGPS"}`,
		"model fit --from " + times + " --samples":       "kind,k_bytes,w_ns,t_ns",
		"model fit --from " + times + " --plot":          "<!-- pvasrun -->",
		"model show --param myrinet " + recorded + " -o": page,
		"trace perfetto " + recorded + " -o":             "\x08\x01\x32\x03job",
		"bench report " + results + " -o":                page,
		"tune --only spin --max-seconds 1 --rounds 5 -o": `{"command": "pvasrun tune"}`,
	} {
		// The old result and what fills the disk are there before.
		script := `mount -t tmpfs -o size=64k none "$0" && printf '%s\n' "$OLD" > "$0/old"
			cat /dev/zero > "$0/fill" 2> /dev/null; "$@" "$0/old" > /dev/null; echo "code $?"; cat "$0/old"; ls -A "$0"`
		cmd := exec.Command("unshare", append([]string{"--mount", "taskset", "1", // where tune measures nothing
			"sh", "-c", script, disk, pvasrun}, strings.Fields(args)...)...)
		cmd.Env = append(os.Environ(), "OLD="+old)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		require.NoError(t, err, "%s", &stderr)
		require.Regexp(t, `^code [12]\n`+regexp.QuoteMeta(old)+`\nfill\nold\n$`, string(out), "%s: %s", args, &stderr)
		require.Regexp(t, `^pvasrun: [^\n]*/old: no space left on device\n(pvasrun --help[^\n]*\n)?$`, stderr.String(),
			args)
	}
}

// What cannot be printed is a failure.
func TestHelpNeedsOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	for _, args := range [][]string{{"--version"}, {"--help"}, {"bench", "--help"},
		{"model", "--help"}, {"info", "--help"}} {
		got := command(t, func(cmd *exec.Cmd) { cmd.Stdout = full }, args...)
		require.Equal(t, 1, got.code, args)
		require.Contains(t, got.stderr, "no space left on device", args)
	}
}
