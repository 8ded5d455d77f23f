package tune

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
)

// sample is a profile with something of each.
func sample() *Profile {
	return &Profile{
		Format: format, Command: "pvasrun tune", Date: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Version: "v1",
		Machine: Machine{CPU: "a CPU", CPUs: 2, CMA: true, Kernel: "6.1"},
		Parameters: []Parameter{
			{Name: "eager_limit", Model: "pvas", Unit: "bytes", Default: 4096, Value: 8192, Verdict: Measured,
				Compared: []Comparison{{
					Benchmark: "pingpong", Model: "pvas", Ranks: 2, Bytes: 8192, Length: 8192,
					Ways: [2]Way{{"eager", 1, 2, 3}, {"rendezvous", 4, 5, 6}}, Faster: "eager",
				}}},
			{Name: "eager_limit", Model: "sm", Unit: "bytes", Default: 4096, Value: 4096, Verdict: NotTold},
			{Name: "pipeline_from", Model: "sm", Unit: "bytes", Value: job.Never, Verdict: Measured},
			{Name: "solo_spinning", Model: "pvas", Unit: "bytes", Default: 8192, Value: 8192, Verdict: NotMeasured,
				Reason: "it takes two CPUs"},
			{Name: "spin", Unit: "looks", Default: 32000, Value: 200, Verdict: Measured},
		},
	}
}

func TestProfileOnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "profile.json")
	p := sample()
	require.NoError(t, p.WriteFile(path))
	have, err := ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, p, have)
	p.Version = "v2"
	require.NoError(t, p.WriteFile(path), "another time")
	have, err = ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "v2", have.Version)
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, files, 1, "nothing but the profile is left")
	_, err = ReadFile(path + ".missing")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// A profile that cannot take its place leaves nothing behind.
func TestProfileCanNotBeWritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "profile.json")
	require.NoError(t, os.MkdirAll(filepath.Join(path, "full"), 0o755))
	require.ErrorContains(t, sample().WriteFile(path), "tune: write profile "+path)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1)
}

// What is no file stays as it is: a device such as /dev/null, which root could replace, or a pipe.
func TestProfileReplacesFilesOnly(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(pipe, link))
	for _, path := range []string{pipe, link} {
		require.ErrorContains(t, sample().WriteFile(path), "is no regular file")
	}
	at, err := os.Lstat(pipe)
	require.NoError(t, err)
	require.Equal(t, fs.ModeNamedPipe, at.Mode().Type())
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 2, "nothing is left")
}

// A symbolic link stays one.
func TestProfileBehindLink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Symlink(file, link))
	require.NoError(t, sample().WriteFile(link))
	at, err := os.Lstat(link)
	require.NoError(t, err)
	require.Equal(t, fs.ModeSymlink, at.Mode().Type())
	have, err := ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, sample(), have)
}

func TestSettingsOfProfile(t *testing.T) {
	require.Equal(t, map[job.BTL]job.Settings{
		job.BTLPvas: {EagerLimit: 8192, Spin: 200},
		job.BTLSM:   {Spin: 200, Thresholds: job.Thresholds{PipelineFrom: job.Never}},
	}, sample().Settings())
}

func TestForeign(t *testing.T) {
	p := sample()
	require.Empty(t, p.Foreign(p.Machine, "v1"))
	other := p.Machine
	other.Kernel = "7.0"
	require.Empty(t, p.Foreign(other, "v1"), "kernels are replaced all the time")
	for want, change := range map[string]func(m *Machine){
		`it is of a CPU "a CPU", and this is "b"`:    func(m *Machine) { m.CPU = "b" },
		"it is of 2 CPUs, and a job here may use 64": func(m *Machine) { m.CPUs = 64 },
		"this one refuses it":                        func(m *Machine) { m.CMA = false },
	} {
		other := p.Machine
		change(&other)
		require.Contains(t, p.Foreign(other, "v1"), want)
	}
	require.Contains(t, p.Foreign(p.Machine, "v2"), "it is of version v1, and this is v2")
	p.Machine.CMA = false
	require.Contains(t, p.Foreign(sample().Machine, "v1"), "this one permits it")
}

// encoded is the sample with one text replaced.
func encoded(t testing.TB, old, replacement string) string {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetIndent("", "  ")
	require.NoError(t, out.Encode(sample()))
	require.Contains(t, b.String(), old)
	return strings.Replace(b.String(), old, replacement, 1)
}

func TestBadProfiles(t *testing.T) {
	for _, c := range []struct{ old, replacement, want string }{
		{`"format": 1`, `"format": 2`, "field format: 2, and this program reads 1"},
		{`"cpus": 2`, `"cpus": 0`, "field machine.cpus: 0"},
		{`"cpus": 2`, `"cpus": "two"`, "line 8: field machine.cpus: string in place of int"},
		{`"value": 8192`, `"value": 99999999`, "field parameters[0].value: 99999999 is outside 1..65536"},
		{`"value": 8192`, `"value": 1e400`, "field parameters.value"},
		{`"value": 4096`, `"value": 1`, "field parameters[1].value: 1, and the default 4096 was not found to be worse"},
		{`"name": "spin"`, `"name": "sin"`, `field parameters[4].name: there is no parameter "sin" of ""`},
		{`"btl": "sm"`, `"btl": "pvas"`, `field parameters[1].name: "eager_limit" is there twice`},
		{`"unit": "looks"`, `"unit": "ms"`, `field parameters[4].unit: "ms" in place of "looks"`},
		{`"verdict": "measured"`, `"verdict": "guessed"`, `field parameters[0].verdict: unknown: "guessed"`},
		{`"date"`, `"day"`, `unknown field "day"`},
		{"{", "", "line 2"},
		{`"format": 1,`, `"format": 1`, "line 3: invalid character"},
		{"}\n", "} {}", "more follows the end of the profile"},
		{"{", strings.Repeat(" ", maxProfile), "longer than"},
	} {
		text := encoded(t, c.old, c.replacement)
		if c.old == "}\n" {
			text = encoded(t, `"format"`, `"format"`) + "{}"
		}
		_, err := Read(strings.NewReader(text))
		require.ErrorContains(t, err, c.want)
	}
	_, err := ReadFile(t.TempDir())
	require.ErrorContains(t, err, "is no regular file")
	_, err = Read(strings.NewReader(""))
	require.ErrorContains(t, err, "it ends too early")
	path := filepath.Join(t.TempDir(), "bad.json")
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o644))
	_, err = ReadFile(path)
	require.ErrorContains(t, err, "tune: profile "+path+
		": it ends too early: write it anew with pvasrun tune, or refuse it with --profile none")
}

// A profile cut off at any byte is refused.
func TestCutProfiles(t *testing.T) {
	text := strings.TrimSpace(encoded(t, "v1", "v1"))
	for n := range len(text) {
		_, err := Read(strings.NewReader(text[:n]))
		require.Error(t, err, n)
	}
}

// Whatever is read without an error has settings that jobs take.
func FuzzRead(f *testing.F) {
	f.Add([]byte(encoded(f, "v1", "v1")))
	f.Add([]byte("{}"))
	f.Add(
		[]byte(
			`{"format":1,"machine":{"cpus":1},"parameters":[{"name":"spin","unit":"looks","verdict":"measured","value":5}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Read(bytes.NewReader(text))
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		for _, s := range p.Settings() {
			_, err := s.Resolve()
			require.NoError(t, err)
		}
	})
}
