package house

import (
	"go/build/constraint"
	"maps"
	"path"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// rankImports are the packages of others that those a rank is made of may import. What a package needs lies in each
// rank: types of it that are relocated, tables that it makes at its start. net, text/template, regexp and encoding/gob
// are for pvasrun.
var rankImports = map[string]bool{
	"bufio": true, "bytes": true, "cmp": true, "context": true, "crypto/aes": true, "crypto/cipher": true,
	"crypto/hmac": true, "crypto/rand": true, "crypto/sha256": true,
	"embed": true, "encoding/binary": true, "encoding/hex": true, "encoding/json": true, "errors": true, "fmt": true,
	"hash/crc32": true, "hash/fnv": true, "io": true, "io/fs": true, "iter": true, "maps": true, "math": true,
	"math/big": true, "math/bits": true, "math/rand/v2": true, "net/netip": true, "os": true, "os/exec": true,
	"path": true, "path/filepath": true, "reflect": true, "runtime": true, "runtime/debug": true,
	"slices": true, "sort": true, "strconv": true, "strings": true, "sync": true,
	"sync/atomic": true, "syscall": true, "time": true, "unsafe": true, "C": true,
	"github.com/edsrzf/mmap-go": true, "golang.org/x/sys/cpu": true, "golang.org/x/sys/unix": true,
}

// A rank in Go or in C is small because it is made of few packages.
func TestRanksImportLittle(t *testing.T) {
	_, files := repository(t)
	report(t, checkRanks(files, rankImports, "mpi", "cmd/libmpi"))
}

func TestCheckRanks(t *testing.T) {
	may := map[string]bool{"io": true, "os": true}
	got := checkRanks(sources(t, map[string]string{
		"mpi/a.go":            `package mpi; import ("io"; "` + module + `/internal/a")`,
		"mpi/a_test.go":       `package mpi; import "net"`,
		"mpi/make.go":         "//go:build ignore\n\npackage main; import \"net\"",
		"internal/a/a.go":     `package a; import "net/http"`,
		"cmd/pvasrun/main.go": `package main; import "net"`,
	}), may, "mpi")
	require.Len(t, got, 2)
	require.Contains(t, got[0], "internal/a/a.go: every rank would carry net/http")
	require.Contains(t, got[1], "no rank imports os")
}

// checkRanks reports what the packages of ranks, from the given ones down, import and need not, and what they may
// import and do not.
func checkRanks(files []source, may map[string]bool, from ...string) []string {
	byPackage := map[string][]source{}
	for _, f := range files {
		if !f.test() && !generator(f) {
			byPackage[path.Dir(f.path)] = append(byPackage[path.Dir(f.path)], f)
		}
	}
	bad := map[string]bool{}
	seen, used := map[string]bool{}, map[string]bool{}
	for len(from) > 0 {
		pkg := from[0]
		from = from[1:]
		if seen[pkg] {
			continue
		}
		seen[pkg] = true
		for _, f := range byPackage[pkg] {
			for _, imported := range f.imports() {
				if to, ok := local(imported); ok {
					from = append(from, to)
				} else if used[imported] = true; !may[imported] {
					bad[f.path+": every rank would carry "+imported+": see internal/test/house/ranks_test.go"] = true
				}
			}
		}
	}
	for name := range may {
		if !used[name] {
			bad["internal/test/house/ranks_test.go: no rank imports "+name] = true
		}
	}
	return slices.Sorted(maps.Keys(bad))
}

// generator tells whether a file is of no program of ranks: go run alone takes it.
func generator(f source) bool {
	for _, group := range f.ast.Comments {
		for _, c := range group.List {
			if expr, err := constraint.Parse(c.Text); err == nil && constraint.IsGoBuild(c.Text) {
				return !expr.Eval(func(tag string) bool { return tag != "ignore" })
			}
		}
	}
	return false
}
