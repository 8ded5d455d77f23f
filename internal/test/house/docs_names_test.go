package house

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// maxWords is what the documents may have together, so that one can find in them.
const maxWords = 30_000

var (
	filePath = regexp.MustCompile("`([\\w./-]+/[\\w.-]+\\.(?:go|s|S|c|h|txt))`")
	room     = regexp.MustCompile(`(?m)^    ([a-z]\S*)  +\S`)
	testName = regexp.MustCompile(`\bTest[A-Z]\w*(?:\.\.\.)?`)
	testCase = regexp.MustCompile("`mpi` cases? ((?:\"[^\"]+\"(?:, )?)+)")
	docPath  = regexp.MustCompile(`docs/[\w-]+\.md`)
	quoted   = regexp.MustCompile(`"[^"]+"`)
)

// checkPaths reports files and rooms that a document names and the repository has not.
func checkPaths(root fs.FS, document string) (bad []string, paths int) {
	names := filePath.FindAllStringSubmatch(document, -1)
	for _, m := range append(names, room.FindAllStringSubmatch(document, -1)...) {
		paths++
		if _, err := fs.Stat(root, m[1]); err != nil {
			bad = append(bad, "there is no "+m[1])
		}
	}
	return bad, paths
}

// checkDocuments reports documents that Go files, but for tests, name and the repository has not.
func checkDocuments(root fs.FS) (bad []string, err error) {
	err = walkFiles(root, ".go", func(name string, text []byte) error {
		for _, document := range docPath.FindAllString(string(text), -1) {
			if _, err := fs.Stat(root, document); err != nil && !strings.HasSuffix(name, "_test.go") {
				bad = append(bad, name+": there is no "+document)
			}
		}
		return nil
	})
	return bad, err
}

func TestDocumentsInCode(t *testing.T) {
	root, _ := repository(t)
	bad, err := checkDocuments(os.DirFS(root))
	require.NoError(t, err)
	report(t, bad)
}

func TestCheckDocuments(t *testing.T) {
	bad, err := checkDocuments(tree(map[string]string{
		"a.go": "// See docs/there.md and docs/gone.md.", "a_test.go": "// docs/other.md", "docs/there.md": "",
	}))
	require.NoError(t, err)
	require.Equal(t, []string{"a.go: there is no docs/gone.md"}, bad)
}

func TestPathsInDocuments(t *testing.T) {
	root, _ := repository(t)
	for document, least := range map[string]int{"docs/architecture.md": 80, "docs/memory-model.md": 10} {
		text, err := os.ReadFile(path.Join(root, document))
		require.NoError(t, err)
		bad, paths := checkPaths(os.DirFS(root), string(text))
		require.Greater(t, paths, least, "the paths of %s were not found", document)
		report(t, bad)
	}
}

func TestCheckPaths(t *testing.T) {
	root := tree(map[string]string{"a/b.go": "", "a/c_amd64.s": "", "room/x.go": ""})
	bad, paths := checkPaths(root, "    room   it\n    attic  that\n\n`a/b.go`, `a/c_amd64.s`: `a/d.go` `b.go`\n")
	require.Equal(t, 5, paths)
	require.Equal(t, []string{"there is no a/d.go", "there is no attic"}, bad)
}

// checkTestNames reports tests, and cases of the tests of package mpi, that a document names and
// no file has.
func checkTestNames(root fs.FS, document string) (bad []string, names int, err error) {
	var tests, cases strings.Builder
	err = walkFiles(root, "_test.go", func(name string, text []byte) error {
		tests.Write(text)
		if path.Dir(name) == "mpi" {
			cases.Write(text)
		}
		return nil
	})
	for _, name := range testName.FindAllString(document, -1) {
		names++
		declared := "\nfunc " + strings.TrimSuffix(name, "...")
		if name == strings.TrimSuffix(name, "...") {
			declared += "("
		}
		if !strings.Contains(tests.String(), declared) {
			bad = append(bad, "there is no "+name)
		}
	}
	for _, m := range testCase.FindAllStringSubmatch(document, -1) {
		for _, name := range quoted.FindAllString(m[1], -1) {
			names++
			if !strings.Contains(cases.String(), name) {
				bad = append(bad, "package mpi has no case "+name)
			}
		}
	}
	return bad, names, err
}

func TestTestsInDocuments(t *testing.T) {
	root, _ := repository(t)
	for document, least := range map[string]int{"mpi/CONFORMANCE.md": 100, "docs/memory-model.md": 10} {
		text, err := os.ReadFile(path.Join(root, document))
		require.NoError(t, err)
		bad, names, err := checkTestNames(os.DirFS(root), string(text))
		require.NoError(t, err)
		require.Greater(t, names, least, "the tests of %s were not found", document)
		report(t, bad)
	}
}

func TestCheckTestNames(t *testing.T) {
	bad, names, err := checkTestNames(tree(map[string]string{
		"a/a_test.go":   "package a\nfunc TestOne(t *testing.T) {}\n",
		"mpi/m_test.go": "package mpi\nvar c = []string{\"split\", \"dup\"}\n",
	}), "| x | `a` TestOne, TestOn, TestO... |\n| y | `mpi` cases \"split\", \"join\" |\n| z | `b` case \"other\" |\n")
	require.NoError(t, err)
	require.Equal(t, 5, names)
	require.Equal(t, []string{"there is no TestOn", `package mpi has no case "join"`}, bad)
}

func TestDocumentsAreShort(t *testing.T) {
	root, _ := repository(t)
	words := 0
	err := walkFiles(os.DirFS(root), ".md", func(name string, text []byte) error {
		if path.Dir(name) == "docs" || name == "README.md" || name == "CONTRIBUTING.md" {
			for _, field := range strings.Fields(string(text)) {
				if strings.IndexFunc(field, isWord) >= 0 { // else it is the edge of a column, or a dash
					words++
				}
			}
		}
		return nil
	})
	require.NoError(t, err)
	t.Log(words, "words")
	if words > maxWords {
		report(t, []string{"the documents have " + strconv.Itoa(words) + " words: say it shorter, or at the code"})
	}
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
