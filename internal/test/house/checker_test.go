package house

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// tree makes a repository from file names and texts.
func tree(files map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

// sources parses a repository made of Go files.
func sources(t *testing.T, files map[string]string) []source {
	t.Helper()
	parsed, err := parse(tree(files))
	require.NoError(t, err)
	return parsed
}

// imports is a Go file that imports the given paths.
func imports(paths ...string) string {
	return "package p\nimport (\n\"" + strings.Join(paths, "\"\n\"") + "\"\n)\n"
}

func TestCheckLayers(t *testing.T) {
	good := map[string]string{
		"internal/node/sys/a.go":      imports("fmt", "golang.org/x/sys/unix"),
		"internal/node/job/a.go":      imports(module+"/shm", module+"/internal/node/sys"),
		"internal/node/job/a_test.go": imports(module + "/internal/test/testkit"),
		"internal/node/job/x_test.go": imports(module + "/internal/node/job"),
		"internal/msg/btl/sm/a.go":    imports(module+"/btl", module+"/internal/node/job"),
		"internal/msg/btl/sm/a_test.go": imports(module+"/internal/msg/btl/btltest",
			module+"/internal/node/job/jobtest"),
		"internal/msg/btl/btltest/a.go": imports(module+"/btl", module+"/internal/test/testkit"),
		"mpi/a.go":                      imports(module+"/internal/msg/comm", module+"/internal/msg/coll"),
		"internal/msg/comm/a.go": imports(module+"/btl", module+"/internal/msg/btl/sm",
			module+"/internal/node/job"),
		"launcher/a.go":                 imports(module+"/pvas", module+"/internal/node/job"),
		"internal/lab/bench/timed/a.go": imports(module+"/mpi", module+"/launcher"),
		"cmd/pvasrun/a.go":              imports(module+"/launcher", module+"/bench", module+"/internal/node/machine"),
		"examples/hello/main.go":        imports(module + "/mpi"),
		".hidden/a.go":                  imports(module + "/nowhere"),
		"pvas/testdata/a.go":            imports(module + "/mpi"),
	}
	require.Empty(t, checkLayers(layers, sources(t, good)))

	bad := map[string][2]string{
		"up":                        {"shm/a.go", "internal/node/job"},
		"from messages across":      {"mpi/a.go", "launcher"},
		"from messages to tasks":    {"mpi/a.go", "pvas"},
		"from processes across":     {"launcher/a.go", "mpi"},
		"around the contract":       {"internal/msg/coll/a.go", "internal/msg/btl/sm"},
		"job must not know above":   {"internal/node/job/a.go", "btl"},
		"leaf":                      {"pagetable/a.go", "internal/node/job"},
		"example behind the face":   {"examples/hello/main.go", "internal/node/job"},
		"example to the kernel":     {"examples/hello/main.go", "internal/node/sys"},
		"conformance in product":    {"internal/msg/btl/sm/a.go", "internal/msg/btl/btltest"},
		"test package in product":   {"internal/node/job/a.go", "internal/test/testkit"},
		"comm has no face":          {"internal/msg/comm/a.go", "mpi"},
		"a command is no library":   {"mpi/a.go", "cmd/pvasrun"},
		"the root is not a package": {"mpi/a.go", ""},
		"probes do not know tasks":  {"internal/node/machine/a.go", "pvas"},
		"tests keep the rule":       {"mpi/a_test.go", "launcher"},
	}
	for name, c := range bad {
		path := strings.TrimSuffix(module+"/"+c[1], "/")
		got := checkLayers(layers, sources(t, map[string]string{c[0]: imports(path)}))
		require.Len(t, got, 1, name)
		require.Contains(t, got[0], "may not import", name)
	}
	got := checkLayers(layers, sources(t, map[string]string{"newpkg/a.go": "package newpkg"}))
	require.Len(t, got, 1)
	require.Contains(t, got[0], "package newpkg has no line")
}

func TestCheckAllowances(t *testing.T) {
	files := sources(t, map[string]string{"a/a.go": imports("fmt", module+"/b"),
		"a/x_test.go": imports(module + "/c/d"), "b/b.go": "package b"})
	require.Empty(t, checkAllowances([]layer{{"a", []string{"b", "c/..."}}, {"b", nil}}, files))
	got := checkAllowances([]layer{{"a", []string{"b", "c/...", "c"}}, {"b", []string{"a"}}, {"e", nil}}, files)
	require.Len(t, got, 3)
	require.Contains(t, got[0], "a does not import c")
	require.Contains(t, got[1], "b does not import a")
	require.Contains(t, got[2], "no package e")
}

// Every line of the table can be reached: none is hidden by one above it.
func TestLayersTable(t *testing.T) {
	for i, l := range layers {
		name := strings.Replace(l.pkg, "...", "x", 1)
		found, ok := layerOf(layers, name)
		require.True(t, ok, l.pkg)
		require.Equal(t, layers[i].pkg, found.pkg)
	}
}

func TestCheckUnsafe(t *testing.T) {
	text := imports("unsafe")
	require.Empty(t, checkUnsafe(sources(t, map[string]string{
		"a/x_unsafe.go": text, "a/x_unsafe_amd64.go": text, "a/x_unsafe_test.go": text,
		"a/x_unsafe_linux_amd64_test.go": text, "a/safe.go": imports("fmt"),
	})))
	require.Len(t, checkUnsafe(sources(t, map[string]string{
		"a/x.go": text, "a/unsafe.go": text, "a/x_test.go": text, "x_unsafe/y.go": text,
		"a/notunsafe.go": text, "a/blank.go": "package a\nimport _ \"unsafe\"\n",
	})), 6)

	text = "package a\n\nfunc f(n uintptr) []byte { return sys.Bytes(n, 1) }\nfunc g(n uintptr) any { " +
		"return sys.Word(n) }\n"
	require.Empty(t, checkUnsafe(sources(t, map[string]string{
		"a/x_unsafe.go": text, "a/x.go": "package a\nfunc f(b []byte) uintptr { return sys.AddrOf(b) }\n",
	})))
	require.Equal(t, []string{
		"a/x.go:3: makes memory from an address; move the code to a file named *_unsafe.go",
		"a/x.go:4: makes memory from an address; move the code to a file named *_unsafe.go",
	}, checkUnsafe(sources(t, map[string]string{"a/x.go": text})))
}

func TestCheckCgo(t *testing.T) {
	require.Empty(t, checkCgo(sources(t, map[string]string{"cmd/libmpi/a.go": imports("C"), "b/b.go": imports("fmt")})))
	require.Len(t,
		checkCgo(sources(t, map[string]string{"internal/capi/a.go": imports("C"), "cmd/pvasrun/b.go": imports("C")})),
		2)
}

func TestCheckKernel(t *testing.T) {
	text := imports("golang.org/x/sys/unix")
	require.Empty(t, checkKernel(sources(t, map[string]string{
		"internal/node/sys/a.go": text, "internal/node/sys/a_test.go": text, "b/b.go": imports("syscall"),
	})))
	require.Len(t, checkKernel(sources(t, map[string]string{
		"internal/node/job/a.go": text, "internal/node/job/a_test.go": text, "internal/node/sys/sub/a.go": text,
	})), 3)
}

func TestCheckSharedMappings(t *testing.T) {
	library, flag := imports("github.com/edsrzf/mmap-go"), "package p\nvar x = sys.MapShared\n"
	require.Empty(t, checkSharedMappings(sources(t, map[string]string{
		"internal/node/job/segment.go": library, "internal/node/job/a_test.go": library,
		"internal/node/sys/mem_unsafe.go": flag,
		"shm/a.go":                        "package p\nvar x = sys.MapPrivate\n",
	})))
	require.Len(t, checkSharedMappings(sources(t, map[string]string{
		"internal/node/job/memory.go": library, "internal/msg/btl/sm/module.go": flag,
		"internal/node/machine/a.go": library,
	})), 3)
}

func TestCheckComments(t *testing.T) {
	got := checkComments(sources(t, map[string]string{
		"good/doc.go":         "// Package good is.\npackage good\n",
		"good/a.go":           "package good\n",
		"cmd/main.go":         "// Command cmd does.\npackage main\n",
		"cmd/other.go":        "package main\n",
		"misplaced/a.go":      "// Package misplaced is.\npackage misplaced\n",
		"none/doc.go":         "package none\n",
		"detached/doc.go":     "// Copyright.\n\npackage detached\n",
		"quiet/main.go":       "package main\n",
		"tests/a_test.go":     "package tests\n",
		"testdoc/a.go":        "package testdoc\n",
		"testdoc/doc_test.go": "// Package testdoc is.\npackage testdoc\n",
	}))
	var dirs []string
	for _, g := range got {
		dir, _, _ := strings.Cut(g, ":")
		dirs = append(dirs, dir)
	}
	require.Equal(t, []string{"detached", "misplaced", "none", "quiet", "testdoc"}, dirs)
}

func TestCheckLengths(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("\n", n) }
	long := "package a\nfunc f() {" + lines(60) + "}\n" // 61 lines
	fits := "package a\nfunc f() {" + lines(59) + "}\n"
	require.Empty(t, checkLengths(sources(t, map[string]string{
		"a/fits.go":    fits,
		"a/file.go":    "package a" + lines(400),
		"a/a_test.go":  long + lines(400),
		"a/created.go": "// Code generated by x. DO NOT EDIT.\n\n" + long + lines(400),
	})))
	got := checkLengths(sources(t, map[string]string{"a/long.go": long, "a/file.go": "package a" + lines(401)}))
	require.Equal(t, []string{
		"a/file.go: 401 lines, more than 400",
		"a/long.go:2: f has 61 lines, more than 60",
	}, got)
}

func TestCheckLinks(t *testing.T) {
	bad, err := checkLinks(tree(map[string]string{
		"README.md": "# Here\n[a](docs/a.md) [h](#here) [n](#there) [w](https://example.org/x) " +
			"[p](docs/a.md#the-part-of-a) [d](docs)\n" +
			"`m[i](x)` and\n```\na[0](gone.md)\n```\n![i](docs/i.png)\n[gone](docs/gone.md)\n",
		"docs/a.md": "## The \u0060part\u0060 of a:\n[up](../README.md) [out](../../x) [root](/etc/passwd) " +
			"[with](<i.png> \"title\")",
		"docs/i.png": "",
	}))
	require.NoError(t, err)
	require.Equal(t, []string{
		"README.md: link to #there: there is no such heading in README.md",
		"README.md: link to docs/gone.md: there is no docs/gone.md",
		"docs/a.md: link to ../../x leads out of the repository",
		"docs/a.md: link to /etc/passwd leads out of the repository",
	}, bad)
}

// A file that does not parse is an error, not an empty set.
func TestParseError(t *testing.T) {
	_, err := parse(tree(map[string]string{"a/a.go": "package"}))
	require.Error(t, err)
}
