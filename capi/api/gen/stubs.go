package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/gopvas/gopvas/capi/api"
)

// stubs makes the C functions. Each puts its arguments into words on its frame and calls
// libmpi_call of entry.h with its number. What needs no state is computed in place.
func stubs(t *table) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generated + stubsTop)
	for op, f := range t.functions {
		fmt.Fprintf(&b, "\n%s\n{\n%s}\n#pragma weak MPI_%s = PMPI_%s\n", prototype("PMPI_", f), body(op, f), f.Name, f.Name)
	}
	return b.Bytes(), nil
}

const stubsTop = `#include <stdint.h>
#include <string.h>

#include "mpi.h"
#include "entry.h"

/* A word of 64 bits from a pointer. */
#define WORD(p) ((int64_t)(intptr_t)(p))
`

// inPlace are functions that need no call: they do not look at any state.
func inPlace(f api.Function) string {
	switch {
	case strings.HasSuffix(f.Name, "_toint"):
		return fmt.Sprintf("    return (int)(intptr_t)%s;\n", f.Args[0].Name)
	case strings.HasSuffix(f.Name, "_fromint"):
		return fmt.Sprintf("    return (%s)(intptr_t)%s;\n", result(f), f.Args[0].Name)
	case f.Name == "Aint_add":
		return "    return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);\n"
	case f.Name == "Aint_diff":
		return "    return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);\n"
	}
	return ""
}

func body(op int, f api.Function) string {
	if text := inPlace(f); text != "" {
		return text
	}
	var b strings.Builder
	args := "0"
	if own := f.Own(); len(own) > 0 {
		args = "a"
		fmt.Fprintf(&b, "    int64_t a[%d];\n", len(own))
		for i, a := range own {
			fmt.Fprintf(&b, "    a[%d] = %s;\n", i, word(a))
		}
	}
	call := fmt.Sprintf("libmpi_call(%d, %s)", op, args)
	if f.Result == "double" {
		fmt.Fprintf(&b, "    int64_t bits = %s;\n    double r;\n    memcpy(&r, &bits, sizeof r);\n    return r;\n", call)
	} else {
		fmt.Fprintf(&b, "    return (%s)%s;\n", result(f), call)
	}
	return b.String()
}

// word is the argument as a word of 64 bits.
func word(a api.Arg) string {
	number := a.Shape == api.Value && a.Base != "Address" && a.Base != "string" && !a.Handle() && !a.Callback()
	if number {
		return a.Name
	}
	return "WORD(" + a.Name + ")"
}
