package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// The Go face has three forms of each collective operation, too. A function bcastCall of package mpi makes the
// call that Bcast runs. Of it follow Ibcast, which begins the call, and BcastInit, which prepares it. Those
// of bcastViewCall are methods of the view that it takes.

// goOperations are the operations in the order of sections 6.12 and 6.13 of MPI 4.1, from the second on, and
// goNeighborly those of sections 8.7 and 8.8. The v and w forms are in the section of their operation.
var (
	goOperations = []string{"", "bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce",
		"reduce_scatter_block", "reduce_scatter", "scan", "exscan"}
	goNeighborly = []string{"neighbor_allgather", "neighbor_alltoall"}
)

// sections are those of an operation's nonblocking and persistent form.
func sections(operation string) (begun, prepared string, ok bool) {
	operation = strings.TrimRight(operation, "vw")
	if i := slices.Index(goNeighborly, operation); i >= 0 {
		return fmt.Sprintf("8.7.%d", i+1), fmt.Sprintf("8.8.%d", i+1), true
	}
	i := slices.Index(goOperations, operation)
	return fmt.Sprintf("6.12.%d", i+1), fmt.Sprintf("6.13.%d", i+1), i >= 0
}

// goForms makes the nonblocking and the persistent forms of package mpi.
func goForms(t *table) ([]byte, error) {
	names, err := filepath.Glob(filepath.Join(t.root, "mpi", "*.go"))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(strings.Replace(generatedGo, "package capi", "package mpi", 1))
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_gen.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && strings.HasSuffix(fn.Name.Name, "Call") && fn.Type.Results != nil {
				if err := formsOf(&b, fn); err != nil {
					return nil, err
				}
			}
		}
	}
	return format.Source(b.Bytes())
}

// formsOf writes the two forms of what a function makes.
func formsOf(b *bytes.Buffer, call *ast.FuncDecl) error {
	base, view := strings.CutSuffix(strings.TrimSuffix(call.Name.Name, "Call"), "View")
	base = strings.ToUpper(base[:1]) + base[1:]
	var params, args []string
	receiver := ""
	for _, field := range call.Type.Params.List {
		var names []string
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
		args = append(args, names...)
		if of := strings.Join(names, ", ") + " " + types.ExprString(field.Type); view && names[0] == "v" {
			receiver = "(" + of + ") "
		} else {
			params = append(params, of)
		}
	}
	begun, prepared, ok := sections(snake(base))
	if !ok {
		return fmt.Errorf("gen: the operation of %s has no section: add it to goOperations", call.Name.Name)
	}
	generic := "[T any]"
	if view {
		generic = ""
	}
	if len(params) > 4 {
		params[len(params)-2] = "\n\t" + params[len(params)-2]
	}
	article := "a"
	if strings.Contains("AE", base[:1]) {
		article = "an"
	}
	lower := strings.ToLower(base[:1]) + base[1:]
	for _, form := range []struct{ name, says, section, function, how string }{
		{"I" + lower, "is " + base + ", nonblocking", begun, "MPI_I" + snake(base), "Begin"},
		{base + "Init", "makes " + article + " " + base + " persistent", prepared,
			"MPI_" + strings.ToUpper(base[:1]) + snake(base)[1:] + "_init", "Prepare"},
	} {
		fmt.Fprintf(b, "\n// %s %s.\n//\n// MPI 4.1 section %s (%s).\nfunc %s%s%s(%s) (Request, error) {\n"+
			"\treturn begun(%s(%s).%s())\n}\n", form.name, form.says, form.section, form.function, receiver, form.name,
			generic, strings.Join(params, ", "), call.Name.Name, strings.Join(args, ", "), form.how)
	}
	return nil
}

// snake is the name of an operation as C has it.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
