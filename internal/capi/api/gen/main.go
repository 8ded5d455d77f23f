// Command gen writes what follows from the table of package api: mpi.h, the C stubs, the
// dispatch and the constants of package capi, forms of package mpi, and the table of conformance. go generate runs
// it in the folder of package api; its test holds the files fresh.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// table is what the files are made from.
type table struct {
	root      string // of the repository
	functions []api.Function
	callbacks []api.Function
	face      api.Face // the standard ABI
	openMPI   api.Face
	mpich     api.Face
	methods   map[string]method // of capi.Process
	lookups   map[string]string // how a target's lookup is called
}

// outputs are the generated files, by their paths from the root of the repository.
var outputs = map[string]func(t *table) ([]byte, error){
	"cmd/libmpi/gen/mpi.h":                   header,
	"cmd/libmpi/gen/ops.h":                   ops,
	"cmd/libmpi/gen/stubs.c":                 stubs,
	"internal/capi/dispatch_gen.go":          dispatch,
	"internal/capi/methods_gen.go":           methods,
	"internal/capi/constants_gen.go":         constants,
	"internal/capi/constants_openmpi_gen.go": constantsOpenMPI,
	"internal/capi/constants_mpich_gen.go":   constantsMPICH,
	"cmd/libmpi/gen/openmpi.h":               headerOpenMPI,
	"cmd/libmpi/gen/openmpi.c":               objectsOpenMPI,
	"cmd/libmpi/gen/mpich.h":                 headerMPICH,
	"cmd/libmpi/gen/mpich.c":                 intsMPICH,
	"cmd/libmpi/gen/fortran.c":               fortranStubs,
	"cmd/libmpi/gen/fortran_f08.c":           fortranStubs08,
	"cmd/libmpi/gen/mpif.h":                  mpif,
	"cmd/libmpi/gen/mpi.f90":                 module,
	"cmd/libmpi/gen/mpi_f08.f90":             module08,
	"cmd/libmpi/gen/mpif-ext.h":              mpifExt,
	"cmd/libmpi/gen/mpi_ext.f90":             moduleExt,
	"cmd/libmpi/gen/mpi_f08_ext.f90":         module08Ext,
	"docs/c-conformance.md":                  conformance,
	"mpi/coll_forms_gen.go":                  goForms,
}

// standard are the functions without extensions.
func (t *table) standard() []api.Function {
	return slices.DeleteFunc(slices.Clone(t.functions), api.Function.Extension)
}

func main() {
	if err := run("../../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(root string) error {
	files, err := generate(root)
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("gen: make the folder of %s: %w", name, err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return fmt.Errorf("gen: write %s: %w", name, err)
		}
	}
	return nil
}

// generate makes all files.
func generate(root string) (map[string][]byte, error) {
	t, err := load(root)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, make := range outputs {
		if files[name], err = make(t); err != nil {
			return nil, fmt.Errorf("gen: make %s: %w", name, err)
		}
	}
	return files, nil
}

func load(root string) (t *table, err error) {
	t = &table{root: root}
	if t.functions, err = api.Functions(); err != nil {
		return nil, err
	}
	if t.callbacks, err = api.Callbacks(); err != nil {
		return nil, err
	}
	if t.face, err = api.Standard(); err != nil {
		return nil, err
	}
	if t.openMPI, err = api.OpenMPI(); err != nil {
		return nil, err
	}
	if t.mpich, err = api.MPICH(); err != nil {
		return nil, err
	}
	if err := t.read(filepath.Join(root, "internal/capi")); err != nil {
		return nil, err
	}
	return t, t.addTargets()
}
