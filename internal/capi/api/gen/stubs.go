package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// stubs makes the C functions. Each puts its arguments into words on its frame and calls
// libmpi_call of entry.h with its number. What needs no state is computed in place.
func stubs(t *table) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generated + stubsTop)
	for _, f := range t.functions {
		fmt.Fprintf(&b, "\n%s\n{\n%s}\n#pragma weak %s = P%[3]s\n", prototype("P", f), body(f), api.CName(f.Name))
	}
	b.WriteString("\n")
	for _, f := range t.functions {
		if f.Proposed() {
			b.WriteString(alsoX(f))
		}
	}
	b.WriteString("\n#ifdef FACE_OPENMPI\n")
	for _, f := range t.functions { // which Open MPI 4 has under this name
		if persistent(f) {
			b.WriteString(alsoX(f))
		}
	}
	b.WriteString("#endif\n")
	return b.Bytes(), nil
}

// alsoX gives a function the name MPIX_NAME, too.
func alsoX(f api.Function) string {
	return fmt.Sprintf("#pragma weak MPIX_%s = PMPI_%[1]s\n#pragma weak PMPIX_%[1]s = PMPI_%[1]s\n", f.Name)
}

// collective tells whether a function is a collective operation, of a topology or not, and persistent whether it
// makes a request of one.
func collective(f api.Function) bool {
	return strings.Contains(strings.ToLower(f.Chapter), "collectives")
}
func persistent(f api.Function) bool { return collective(f) && strings.HasSuffix(f.Name, "_init") }

const stubsTop = `#include <stdint.h>

#include "../attributes.h"
#include "../entry.h"
#include "../face.h"
#include "../types.h"
#include "../window.h"
#include "ops.h"

/* A word of 64 bits from a pointer. */
#define WORD(p) ((int64_t)(intptr_t)(p))
`

// inPlace are functions that need no call of Go.
func inPlace(f api.Function) string {
	switch {
	case strings.HasSuffix(f.Name, "_toint"):
		return fmt.Sprintf("    return (int)libmpi_number(%s);\n", f.Args[0].Name)
	case strings.HasSuffix(f.Name, "_fromint"):
		return fmt.Sprintf("    return (%s)libmpi_handle(%s);\n", result(f), f.Args[0].Name)
	case f.Name == "Aint_add":
		return "    return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);\n"
	case f.Name == "Aint_diff":
		return "    return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);\n"
	case f.Name == "Wtime":
		return "    return libmpi_time();\n"
	case f.Name == "Wtick":
		return "    return 1e-9;\n"
	case f.Name == "Is_thread_main":
		return "    *flag = libmpi_is_main();\n    return MPI_SUCCESS;\n"
	}
	return ""
}

// shortcut is what comes before the call of Go: the answer to calls that programs make in
// loops, and at the end, that it may not be given any more.
func shortcut(f api.Function) string {
	if f.Name == "Finalize" {
		return "    libmpi_ending();\n"
	}
	if short := strings.TrimSuffix(f.Name, "_c"); slices.Contains(shortCalls, short) {
		var args []string
		for _, a := range f.Own() {
			args = append(args, a.Name)
		}
		name := strings.ToLower(strings.TrimSuffix(short, "_local"))
		return fmt.Sprintf("    if (libmpi_short_%s(%s))\n        return MPI_SUCCESS;\n", name,
			strings.Join(args, ", "))
	}
	if strings.HasPrefix(f.Name, "Type_size") {
		return "    uint32_t known = size ? libmpi_size_of(datatype) : 0;\n" +
			"    if (known) {\n        *size = known;\n        return MPI_SUCCESS;\n    }\n"
	}
	if strings.HasPrefix(f.Name, "Type_get_extent") || strings.HasPrefix(f.Name, "Type_get_true_extent") {
		lb, extent := f.Args[1].Name, f.Args[2].Name
		return fmt.Sprintf("    uint32_t known = %s && %s ? libmpi_extent_of(datatype) : 0;\n"+
			"    if (known) {\n        *%s = 0;\n        *%s = known;\n        return MPI_SUCCESS;\n    }\n",
			lb, extent, lb, extent)
	}
	if f.Name != "Comm_rank" && f.Name != "Comm_size" {
		return ""
	}
	value := f.Args[1].Name
	return fmt.Sprintf("    if (comm == MPI_COMM_WORLD && libmpi_world.size > 0 && %s) {\n"+
		"        *%s = libmpi_world.%s;\n        return MPI_SUCCESS;\n    }\n", value, value, value)
}

// shortCalls are the functions that window.c may do.
var shortCalls = []string{"Put", "Get", "Accumulate", "Fetch_and_op", "Compare_and_swap", "Win_flush",
	"Win_flush_local", "Win_lock", "Win_unlock"}

func body(f api.Function) string {
	if text := inPlace(f); text != "" {
		return text
	}
	var b strings.Builder
	b.WriteString(shortcut(f))
	args := "0"
	if own := f.Own(); len(own) > 0 {
		args = "a"
		words := []string{"CALLER"}
		for _, a := range own {
			words = append(words, word(a))
		}
		if h := hidden(f); h != "" {
			words = append(words, h)
		}
		fmt.Fprintf(&b, "    int64_t slots[%d], *a = slots + 1;\n", len(words))
		for i, w := range words {
			fmt.Fprintf(&b, "    a[%d] = %s;\n", i-1, w)
		}
	}
	fmt.Fprintf(&b, "    return (%s)libmpi_call(OP_%s, %s);\n", result(f), f.Name, args)
	return b.String()
}

// hidden is a word after the arguments of a function: the language of the call, where values of
// attributes or callbacks for them differ by it. Or it is "".
func hidden(f api.Function) string {
	for _, a := range f.Own() {
		switch {
		case a.Name == "attribute_val":
			return "libmpi_language_of_value(attribute_val)"
		case a.Callback() && strings.HasSuffix(strings.ToLower(a.Base), "copy_attr_function"),
			a.Base == "Copy_function":
			return "libmpi_language_of_copy(WORD(" + a.Name + "))"
		}
	}
	return ""
}

// word is the argument as a word of 64 bits: of a handle its number.
func word(a api.Arg) string {
	switch {
	case a.Shape != api.Value || a.Base == "Address" || a.Base == "string" || a.Callback():
		return "WORD(" + a.Name + ")"
	case a.Handle():
		return "libmpi_number(" + a.Name + ")"
	}
	return a.Name
}

// ops makes the numbers of the functions.
func ops(t *table) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generated + "enum {\n")
	for op, f := range t.functions {
		fmt.Fprintf(&b, "    OP_%s = %d,\n", f.Name, op)
	}
	b.WriteString("};\n")
	return b.Bytes(), nil
}
