package house

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```")
	message = regexp.MustCompile("(?m)^#+ `(.*)`$")
)

// unindented is code by lines without what stands around them, so that a block of a
// document can be found within a function.
func unindented(code string) string {
	lines := strings.Split(strings.TrimSpace(code), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return strings.Join(lines, "\n")
}

// checkGoBlocks reports Go code in Markdown files that is in no Go file of the
// repository: there it is compiled, and if it is a part of a test or an example, run.
func checkGoBlocks(root fs.FS) (bad []string, blocks int, err error) {
	var compiled []string
	if err := walkFiles(root, ".go", func(_ string, text []byte) error {
		compiled = append(compiled, "\n"+unindented(string(text))+"\n")
		return nil
	}); err != nil {
		return nil, 0, err
	}
	err = walkFiles(root, ".md", func(name string, text []byte) error {
		for _, m := range goBlock.FindAllSubmatch(text, -1) {
			blocks++
			block := unindented(string(m[1]))
			if !slices.ContainsFunc(compiled, func(c string) bool { return strings.Contains(c, "\n"+block+"\n") }) {
				first, _, _ := strings.Cut(block, "\n")
				bad = append(bad, name+": no Go file has the code that begins with "+strconv.Quote(first))
			}
		}
		return nil
	})
	return bad, blocks, err
}

// texts are the constant strings of Go files that are no tests, joined where they are
// added.
func texts(files []source) (found []string) {
	for _, f := range files {
		if f.test() {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if s, ok := constant(e); ok {
					found = append(found, s)
					return false
				}
			}
			return true
		})
	}
	return found
}

// constant returns the value of a string literal, or of a sum of such.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, err := strconv.Unquote(e.Value)
			return s, err == nil
		}
	case *ast.BinaryExpr:
		a, ok1 := constant(e.X)
		b, ok2 := constant(e.Y)
		return a + b, ok1 && ok2 && e.Op == token.ADD
	}
	return "", false
}

// checkMessages reports headings of a document that quote a message, with … for what
// varies, where no program of the repository has such a text.
func checkMessages(name string, document []byte, files []source) (bad []string, messages int) {
	all := texts(files)
	for _, m := range message.FindAllSubmatch(document, -1) {
		messages++
		parts := strings.Split(string(m[1]), "…")
		for i, p := range parts {
			parts[i] = regexp.QuoteMeta(strings.TrimSpace(p))
		}
		if pattern := regexp.MustCompile(`(?s)` + strings.Join(parts, `.*`)); !slices.ContainsFunc(all,
			pattern.MatchString) {
			bad = append(bad, name+": no program says "+strconv.Quote(string(m[1])))
		}
	}
	return bad, messages
}

func TestCodeInDocuments(t *testing.T) {
	root, _ := repository(t)
	bad, blocks, err := checkGoBlocks(os.DirFS(root))
	require.NoError(t, err)
	require.Greater(t, blocks, 10, "the documents were not found")
	report(t, bad)
}

func TestQuotedMessages(t *testing.T) {
	root, files := repository(t)
	text, err := os.ReadFile(root + "/docs/troubleshooting.md")
	require.NoError(t, err)
	bad, messages := checkMessages("docs/troubleshooting.md", text, files)
	require.Greater(t, messages, 10, "the messages were not found")
	report(t, bad)
}

// derived is the name of a nonblocking or persistent form without what makes it one.
var derived = regexp.MustCompile(`^I([a-z]\w*)$|^(\w+)Init$`)

// checkCalls reports exported functions of a package that a guide does not name. A guide
// that names an operation need not name each form of it.
func checkCalls(pkg, guide string, files []source) (bad []string, calls int) {
	for _, f := range files {
		if f.test() || path.Dir(f.path) != pkg {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() {
				continue
			}
			calls++
			name := fn.Name.Name
			if m := derived.FindStringSubmatch(name); m != nil {
				name += `|(?i:` + m[1] + m[2] + `)`
			}
			if !regexp.MustCompile(`\b(` + name + `)\b`).MatchString(guide) {
				bad = append(bad, "the guide does not name "+fn.Name.Name)
			}
		}
	}
	return bad, calls
}

func TestGuideNamesCalls(t *testing.T) {
	root, files := repository(t)
	guide, err := os.ReadFile(root + "/docs/writing-ranks.md")
	require.NoError(t, err)
	bad, calls := checkCalls("mpi", string(guide), files)
	require.Greater(t, calls, 50)
	report(t, bad)
}

func TestCheckCalls(t *testing.T) {
	bad, calls := checkCalls("a", "Send and Bcast", sources(t, map[string]string{
		"a/a.go": "package a\nfunc Send() {}\nfunc Isend() {}\nfunc BcastInit() {}\nfunc Init() {}\nfunc Sen() " +
			"{}\nfunc lower() {}\nfunc (T) M() {}",
		"a/a_test.go": "package a\nfunc Test() {}",
		"b/b.go":      "package b\nfunc Other() {}",
	}))
	require.Equal(t, 5, calls)
	require.Equal(t, []string{"the guide does not name Init", "the guide does not name Sen"}, bad)
}

func TestCheckGoBlocks(t *testing.T) {
	bad, blocks, err := checkGoBlocks(tree(map[string]string{
		"a/a.go": "package a\n\nfunc f() {\n\tif ok {\n\t\tg()\n\t}\n}\n",
		"a.md": "```go\nif ok {\n    g()\n}\n```\ntext\n```go\nif ok " +
			"{\n\tgone()\n}\n```\n```sh\nls\n```\n```go\ng(\n```\n",
	}))
	require.NoError(t, err)
	require.Equal(t, 3, blocks)
	require.Equal(t, []string{
		`a.md: no Go file has the code that begins with "if ok {"`,
		`a.md: no Go file has the code that begins with "g("`, // part of a line
	}, bad)
}

func TestCheckMessages(t *testing.T) {
	files := sources(t, map[string]string{
		"a/a.go": "package a\nvar x, y = f(\"rank %d has gone: \" +\n\"start again\"), `what is \"that\"`\nvar " +
			"z = \"one \" + y + \" two\"",
		"a/a_test.go": "package a\nvar z = \"only in a test\"",
	})
	bad, messages := checkMessages("d.md",
		[]byte("# `rank … has gone: start`\n## `what is \"that\"`\n# `only in a test`\n# `… gone: stop`\n# no "+
			"`message`\n# `one … two`\n"), files)
	require.Equal(t, 5, messages)
	require.Equal(t, []string{`d.md: no program says "only in a test"`, `d.md: no program says "… gone: stop"`,
		`d.md: no program says "one … two"`}, bad)
}
