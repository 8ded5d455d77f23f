package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jessevdk/go-flags"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/run"
)

var (
	docBlock  = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```|^((?:    [^\n]*\n)+)")
	docInline = regexp.MustCompile("`(?:pvasrun )?(bench [^`\n]+)`")
	docRun    = regexp.MustCompile(`^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:pvasrun|go run -buildmode=pie \./cmd/pvasrun) (.*)`)
)

// commandLines are the arguments of pvasrun in the code of a Markdown text. Patterns
// with brackets or dots in place of words are not among them.
func commandLines(text string) (found []string) {
	var candidates []string
	for _, m := range docBlock.FindAllStringSubmatch(text, -1) {
		if m[1] != "go" {
			candidates = append(candidates, strings.Split(m[2]+m[3], "\n")...)
		}
	}
	for _, m := range docInline.FindAllStringSubmatch(text, -1) {
		candidates = append(candidates, "pvasrun "+m[1])
	}
	for _, line := range candidates {
		m := docRun.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || strings.ContainsAny(m[1], "[…") {
			continue
		}
		args, _, _ := strings.Cut(m[1], " #")
		found = append(found, strings.TrimSpace(args))
	}
	return found
}

// checkCommandLine parses the flags of pvasrun in a command line, and executes nothing.
func checkCommandLine(t *testing.T, args string) {
	t.Helper()
	words := strings.Fields(args)
	if words[0] == "bench" || words[0] == "info" || words[0] == "suci" || words[0] == "tune" ||
		words[0] == "completion" || words[0] == "install-mpi" {
		if words[0] == "completion" || words[0] == "install-mpi" {
			words = words[:1]
		}
		got := command(t, nil, append(words, "--help")...)
		require.Equal(t, 0, got.code, "pvasrun %s: %s", args, got.stderr)
		return
	}
	var f run.Flags
	f.Version = func() {}
	p := flags.NewNamedParser("pvasrun", flags.HelpFlag|flags.PassDoubleDash|flags.PassAfterNonOption)
	_, err := p.AddGroup("Flags", "", &f)
	require.NoError(t, err)
	rest, err := p.ParseArgs(words)
	if len(words) == 1 && (flags.WroteHelp(err) || words[0] == "--version") {
		return
	}
	require.NoError(t, err, "pvasrun %s", args)
	f.NP = max(f.NP, 1)
	_, err = f.Apps(rest)
	require.NoError(t, err, "pvasrun %s", args)
}

// Every command line of pvasrun in the documents, and in its own help, is one that it
// understands.
func TestDocumentedCommandLines(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	n := 0
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, args := range commandLines(string(text)) {
			t.Log(filepath.Base(file)+":", args)
			checkCommandLine(t, args)
			n++
		}
	}
	require.Greater(t, n, 10, "the documents were not found")
	for _, line := range cli.Examples() {
		if m := docRun.FindStringSubmatch(line); m != nil {
			checkCommandLine(t, m[1])
		}
	}
}

// Each flag of a job is in the guide, with its variable.
func TestDocumentedFlags(t *testing.T) {
	guide, err := os.ReadFile("../../docs/running-jobs.md")
	require.NoError(t, err)
	p := flags.NewParser(&run.Flags{}, flags.None)
	known := map[string]bool{}
	for _, opt := range cli.Options(p) {
		name := opt.LongName
		if name == "" {
			name = string(opt.ShortName)
		}
		if name == "help" {
			continue
		}
		known[opt.EnvDefaultKey] = true
		if opt.EnvDefaultKey == "" {
			require.Regexp(t, "(?m)^\\| `--"+name+"` \\|", string(guide))
			continue
		}
		require.Regexp(t, "(?m)^\\| .*`--?"+name+"\\b.*` \\| `"+opt.EnvDefaultKey+"` \\|", string(guide))
	}
	require.Greater(t, len(known), 10)
	for _, m := range regexp.MustCompile("`(PVASRUN_[A-Z_]+)`").FindAllStringSubmatch(string(guide), -1) {
		require.True(t, known[m[1]], "%s is no variable of a flag", m[1])
	}
}

// Each benchmark says in a line, and in its help by an example, what it is for.
func TestHelp(t *testing.T) {
	list := command(t, nil, "bench", "--help")
	require.Equal(t, 0, list.code, list.stderr)
	offered := strings.Fields(command(t, env("GO_FLAGS_COMPLETION=1"), "bench", "").stdout)
	require.NotEmpty(t, offered)
	for _, name := range offered {
		require.Regexp(t, `(?m)^  `+name+` +\S`, list.stdout)
	}
	for _, group := range []string{"model", "trace", "suci"} {
		help := command(t, nil, group, "--help").stdout
		for name := range strings.FieldsSeq(command(t, env("GO_FLAGS_COMPLETION=1"), group, "").stdout) {
			require.Regexp(t, `(?m)^  pvasrun `+group+" "+name+` .*\w`, help)
		}
	}
	for _, args := range [][]string{{}, {"info"}, {"completion"}, {"install-mpi"}, {"model"}, {"model", "exchange"},
		{"trace"}, {"trace", "info"}, {"tune"}, {"suci"}, {"bench", "touch"}, {"bench", "npb"},
		{"bench", "bcast"}, {"bench", "ring"}} {
		got := command(t, nil, append(args, "--help")...)
		require.Equal(t, 0, got.code, got.stderr)
		require.Regexp(t, `(?s)^Usage:.*\nExamples:\n  # .*\n  pvasrun `, got.stdout, args)
	}
}
