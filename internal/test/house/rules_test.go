package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	maxFileLines = 400 // of a file that is not a test
	maxFuncLines = 60  // of a function in such a file, its braces among them
)

// source is one Go file of the repository.
type source struct {
	path  string // from the root of the repository, with slashes
	lines int
	fset  *token.FileSet
	ast   *ast.File
}

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// imports are the paths the file imports.
func (s source) imports() []string {
	var paths []string
	for _, spec := range s.ast.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

// skipped tells whether a folder holds nothing the rules are for.
func skipped(name string) bool {
	return name != "." && strings.HasPrefix(name, ".") || name == "testdata" || name == "vendor"
}

// walkFiles calls do with every file whose name has the suffix.
func walkFiles(root fs.FS, suffix string, do func(name string, text []byte) error) error {
	return fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(d.Name()):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, suffix):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		return do(name, text)
	})
}

// parse reads every Go file below root, whatever its build constraints.
func parse(root fs.FS) ([]source, error) {
	var files []source
	err := walkFiles(root, ".go", func(name string, text []byte) error {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		lines := strings.Count(string(text), "\n")
		files = append(files, source{path: name, lines: lines, fset: fset, ast: file})
		return nil
	})
	return files, err
}

// unsafeFile is how a file is named that may import unsafe.
var unsafeFile = regexp.MustCompile(`_unsafe(_[a-z0-9]+)*\.go$`)

// checkUnsafe reports imports of unsafe where a reader does not expect them, and slices and
// words that are made from addresses, which are as unsafe.
func checkUnsafe(files []source) []string {
	var bad []string
	for _, f := range files {
		if unsafeFile.MatchString(f.path) {
			continue
		}
		if slices.Contains(f.imports(), "unsafe") {
			bad = append(bad, f.path+": imports unsafe; move the code to a file named *_unsafe.go")
		}
		for _, line := range f.calls("sys", "Bytes", "Word") {
			bad = append(bad,
				fmt.Sprintf("%s:%d: makes memory from an address; move the code to a file named *_unsafe.go", f.path,
					line))
		}
	}
	return bad
}

// checkKernel reports ways to the kernel around internal/node/sys.
func checkKernel(files []source) []string {
	var bad []string
	for _, f := range files {
		if path.Dir(f.path) == "internal/node/sys" {
			continue
		}
		for _, p := range f.imports() {
			if strings.HasPrefix(p, "golang.org/x/sys/") {
				bad = append(bad, f.path+": imports "+p+"; only internal/node/sys may")
			}
		}
	}
	return bad
}

// checkCgo reports uses of cgo around the library for C programs.
func checkCgo(files []source) []string {
	var bad []string
	for _, f := range files {
		if path.Dir(f.path) != "cmd/libmpi" && slices.Contains(f.imports(), "C") {
			bad = append(bad, f.path+": uses cgo; only cmd/libmpi may")
		}
		for _, name := range []string{"net", "net/http", "os/user"} {
			if slices.Contains(f.imports(), name) && !strings.HasSuffix(f.path, "_test.go") {
				bad = append(bad, f.path+": "+name+" links cgo into the programs that import it")
			}
		}
	}
	return bad
}

// sharedDoor is the file that maps what ranks share by a file, with the library for it.
const sharedDoor = "internal/node/job/segment.go"

// checkSharedMappings reports shared mappings of files around sharedDoor: imports of the
// mapping library, and uses of the flag in internal/node/sys. Tests are free to make any.
func checkSharedMappings(files []source) []string {
	var bad []string
	for _, f := range files {
		if f.path == sharedDoor || f.test() || path.Dir(f.path) == "internal/node/sys" {
			continue
		}
		if slices.Contains(f.imports(), "github.com/edsrzf/mmap-go") || len(f.calls("sys", "MapShared")) > 0 {
			bad = append(bad, f.path+": maps a file to share it; only "+sharedDoor+" does")
		}
	}
	return bad
}

// calls returns the lines where the file uses any of these names of a package.
func (s source) calls(pkg string, names ...string) (lines []int) {
	ast.Inspect(s.ast, func(n ast.Node) bool {
		use, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains(names, use.Sel.Name) {
			return true
		}
		if x, ok := use.X.(*ast.Ident); ok && x.Name == pkg {
			lines = append(lines, s.fset.Position(use.Pos()).Line)
		}
		return true
	})
	return lines
}

// checkComments reports packages that do not say what they promise: a library in
// doc.go, a program in any of its files.
func checkComments(files []source) []string {
	documented := map[string]bool{} // by folder
	for _, f := range files {
		if f.test() {
			continue
		}
		dir := path.Dir(f.path)
		here := f.ast.Name.Name == "main" || path.Base(f.path) == "doc.go"
		documented[dir] = documented[dir] || here && f.ast.Doc != nil
	}
	var bad []string
	for dir, ok := range documented {
		if !ok {
			bad = append(bad, dir+": no package comment; a library has it in doc.go")
		}
	}
	slices.Sort(bad)
	return bad
}

// checkLengths reports files and functions that are too long to read. Tests may
// be long: a table of cases is.
func checkLengths(files []source) []string {
	var bad []string
	for _, f := range files {
		if f.test() || ast.IsGenerated(f.ast) {
			continue
		}
		if f.lines > maxFileLines {
			bad = append(bad, fmt.Sprintf("%s: %d lines, more than %d", f.path, f.lines, maxFileLines))
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			first, last := f.fset.Position(fn.Pos()), f.fset.Position(fn.End())
			if n := last.Line - first.Line + 1; n > maxFuncLines {
				bad = append(bad, fmt.Sprintf("%s:%d: %s has %d lines, more than %d",
					f.path, first.Line, fn.Name.Name, n, maxFuncLines))
			}
		}
	}
	return bad
}

var (
	fence = regexp.MustCompile("(?ms)^ *```.*?^ *```") // code, where brackets mean something else
	code  = regexp.MustCompile("`[^`\n]*`")
	link  = regexp.MustCompile(`\]\(<?([^)\s>]+)`)

	heading     = regexp.MustCompile(`(?m)^#+ (.*?) *$`)
	punctuation = regexp.MustCompile(`[^\pL\pN _-]`)
)

// anchors are the names by which links find the headings of a Markdown text, as GitHub
// makes them.
func anchors(text []byte) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllSubmatch(fence.ReplaceAll(text, nil), -1) {
		found[strings.ReplaceAll(punctuation.ReplaceAllString(strings.ToLower(string(m[1])), ""), " ", "-")] = true
	}
	return found
}

// checkLinks reports links in Markdown files to files, and to headings of Markdown files,
// that are not there. Links to other sites are not followed.
func checkLinks(root fs.FS) ([]string, error) {
	var bad []string
	err := walkFiles(root, ".md", func(name string, text []byte) error {
		for _, m := range link.FindAllSubmatch(code.ReplaceAll(fence.ReplaceAll(text, nil), nil), -1) {
			if problem := checkLink(root, name, string(m[1])); problem != "" {
				bad = append(bad, name+": link to "+problem)
			}
		}
		return nil
	})
	return bad, err
}

// checkLink says what is wrong with a link of a Markdown file, or nothing.
func checkLink(root fs.FS, name, link string) string {
	target, part, _ := strings.Cut(link, "#")
	if strings.Contains(target, ":") {
		return ""
	}
	to := name
	if target != "" {
		to = path.Join(path.Dir(name), target)
	}
	if strings.HasPrefix(target, "/") || !fs.ValidPath(to) {
		return target + " leads out of the repository"
	}
	if _, err := fs.Stat(root, to); err != nil {
		return target + ": there is no " + to
	}
	if part == "" || path.Ext(to) != ".md" {
		return ""
	}
	if text, err := fs.ReadFile(root, to); err != nil || !anchors(text)[part] {
		return link + ": there is no such heading in " + to
	}
	return ""
}
