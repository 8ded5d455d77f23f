package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// Extensions that Fortran has are those for failures. They stand where programs for Open MPI look for them: mpif-ext.h
// has their constants, the modules mpi_ext and mpi_f08_ext the subroutines, too.

// extensionForms are the subroutines. Those that the next standard may have come by both names.
func extensionForms(t *table) (all []api.Function) {
	for _, f := range t.functions {
		if f.Chapter != "Failures" {
			continue
		}
		if all = append(all, f); f.Proposed() {
			f.Name = "X_" + f.Name
			all = append(all, f)
		}
	}
	return all
}

// alsoNamed are the constants that have a name of extensions, too: MPIX_ instead of MPI_.
var alsoNamed = []string{"ERR_PROC_FAILED", "ERR_PROC_FAILED_PENDING", "ERR_REVOKED", "FT"}

// extensionMacros are the names in C.
func extensionMacros() string {
	var b strings.Builder
	for _, name := range alsoNamed {
		fmt.Fprintf(&b, "#define MPIX_%s MPI_%[1]s\n", name)
	}
	return b.String()
}

// extensionConstants are the names in Fortran, in lines that are right in fixed and in free form.
func extensionConstants(t *table) string {
	var b strings.Builder
	for _, c := range fortranConstants(t) {
		if name := strings.TrimPrefix(c.name, "MPI_"); slices.Contains(alsoNamed, name) {
			fmt.Fprintf(&b, "      INTEGER MPIX_%s\n      PARAMETER (MPIX_%[1]s=%d)\n", name, c.value)
		}
	}
	return b.String()
}

// mpifExt makes mpif-ext.h, which comes after mpif.h.
func mpifExt(t *table) ([]byte, error) { return []byte(generatedFortran + extensionConstants(t)), nil }

// moduleExt makes mpi_ext.f90.
func moduleExt(t *table) ([]byte, error) {
	return extensions(t, "mpi_ext", "      use mpi\n      implicit none\n", func(f api.Function) string {
		name := api.CName(f.Name)
		return "interface\n" + interfaceOf(name, f, integers) + "end interface\n" + profiled(name)
	})
}

// module08Ext makes mpi_f08_ext.f90.
func module08Ext(t *table) ([]byte, error) {
	return extensions(t, "mpi_f08_ext", module08ExtTop, generic)
}

const module08ExtTop = `      use, intrinsic :: iso_c_binding, only: C_PTR
      use mpi_f08
      implicit none
      private :: C_PTR
`

func extensions(t *table, module, top string, declare func(api.Function) string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%smodule %s\n%s", generatedFortran, module, top)
	b.WriteString(extensionConstants(t))
	for _, f := range extensionForms(t) {
		b.WriteString(declare(f))
	}
	fmt.Fprintf(&b, "end module %s\n", module)
	return b.Bytes(), nil
}
