package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

// method is a method of capi.Process.
type method struct {
	params  []string // their types
	results []string
}

// methodsOf reads the exported methods of *Process from the sources of package capi. The
// generated file that calls them is not read: it may be stale.
func methodsOf(dir string) (map[string]method, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	methods := map[string]method{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_gen.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("gen: read the methods of Process: %w", err)
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && ofProcess(fn) {
				methods[fn.Name.Name] = method{typesOf(fn.Type.Params), typesOf(fn.Type.Results)}
			}
		}
	}
	return methods, nil
}

// ofProcess tells whether fn is an exported method of *Process.
func ofProcess(fn *ast.FuncDecl) bool {
	return fn.Recv != nil && fn.Name.IsExported() && types.ExprString(fn.Recv.List[0].Type) == "*Process"
}

// typesOf lists the types of parameters, one for each name.
func typesOf(list *ast.FieldList) []string {
	if list == nil {
		return nil
	}
	var all []string
	for _, field := range list.List {
		for range max(1, len(field.Names)) {
			all = append(all, types.ExprString(field.Type))
		}
	}
	return all
}
