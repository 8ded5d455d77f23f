package results

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func here() Environment {
	return Environment{Version: "v1", CPU: "a", CPUs: 2, Peers: map[string]string{}, Started: time.Unix(1e9, 0).UTC()}
}

func point(v float64) []Point {
	return []Point{{Benchmark: "pingpong", Contestant: "pvas", Ranks: 2, Bytes: 8,
		Values: map[string]float64{"t_us": v}}}
}

// What is written is read again; a run that is taken up knows what is there, and cuts
// off what was not finished.
func TestJournal(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.jsonl")
	j, err := Append(name, here())
	require.NoError(t, err)
	require.False(t, j.Has("c", 1))
	require.NoError(t, j.Add(Line{Experiment: "e", Command: "c", Round: 1, Seconds: 2, Points: point(3)}))
	require.NoError(t, j.Add(Line{Experiment: "e", Command: "c", Round: 2, Failed: "why"}))
	require.True(t, j.Has("c", 1))
	require.NoError(t, j.Close())

	whole, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, append(whole, `{"experiment":"e","comm`...), 0o666))
	later := here()
	later.Started = later.Started.Add(time.Hour)
	later.Peers["openmpi"] = "4"
	j, err = Append(name, later)
	require.NoError(t, err)
	require.True(t, j.Has("c", 1))
	require.False(t, j.Has("c", 2), "it failed")
	require.False(t, j.Has("other", 1))
	require.NoError(t, j.Add(Line{Experiment: "e", Command: "c", Round: 2, Points: point(4)}))
	require.NoError(t, j.Close())

	f, err := Load(name)
	require.NoError(t, err)
	require.Equal(t, j.File, f)
	require.Equal(t, []Environment{here(), later}, f.Environments)
	require.Len(t, f.Lines, 3)
	require.Equal(t, point(4), f.Lines[2].Points)
}

func TestJournalOfAnotherMachine(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.jsonl")
	j, err := Append(name, here())
	require.NoError(t, err)
	require.NoError(t, j.Close())
	before, err := os.ReadFile(name)
	require.NoError(t, err)
	for _, change := range []func(*Environment){
		func(e *Environment) { e.CPU = "b" }, func(e *Environment) { e.CPUs = 3 }, func(e *Environment) {
			e.Version = "v2"
		},
		func(e *Environment) { e.Kernel = "7" }, func(e *Environment) { e.CMA = true }, func(e *Environment) {
			e.MemoryMiB = 1 << 20
		},
	} {
		e := here()
		change(&e)
		_, err = Append(name, e)
		var other *EnvironmentError
		require.ErrorAs(t, err, &other)
		require.ErrorContains(t, err, "name another file")
	}
	after, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	_, err := Load(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	for text, says := range map[string]string{
		"":                                    "has no results",
		"{}\n":                                "line 1: neither",
		"\nno\n":                              "line 2",
		`{"environment":{}}` + "\n":           "has no results",
		`{"experiment":"x","round":1`:         "has no results",
		`{"experiment":"x","round":1}` + "\n": "before the environment",
		`{"environment":{}}` + "\n" + `{"experiment":"x"}` + "\n": "line 2: neither",
	} {
		name := filepath.Join(dir, "r")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
		_, err := Load(name)
		require.ErrorContains(t, err, says, text)
	}
	_, err = Append(dir, here())
	require.Error(t, err)
}

// Whatever a file has, reading it ends with results or an error that names the line.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"environment":{"cpus":2}}` + "\n" +
		`{"experiment":"e","round":1,"points":[{"values":{"t_us":1}}]}` + "\n"))
	f.Add([]byte("null\n[]\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Parse(text)
		if err != nil {
			require.ErrorContains(t, err, "line ")
			require.Empty(t, got.Lines)
		}
		for _, l := range got.Lines {
			require.NotEmpty(t, l.Experiment)
		}
	})
}
