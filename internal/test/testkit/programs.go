package testkit

import (
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Programs builds what tests run as ranks: each program once, in the folder Dir. Their packages
// have different names.
type Programs struct {
	Dir   string
	built sync.Map // of functions that build, by package
}

// Build returns the program of a Go package, built position independent. pkg is its folder, as
// go build takes it.
func (p *Programs) Build(t testing.TB, pkg string) string {
	t.Helper()
	program := filepath.Join(p.Dir, filepath.Base(pkg))
	build, _ := p.built.LoadOrStore(program, sync.OnceValues(func() ([]byte, error) {
		return exec.Command("go", "build", "-buildmode=pie", "-o", program, pkg).CombinedOutput()
	}))
	if out, err := build.(func() ([]byte, error))(); err != nil {
		t.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return program
}
