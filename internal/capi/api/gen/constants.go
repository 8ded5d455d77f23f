package main

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// constants makes the constants of package capi.
func constants(t *table) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generatedGo)
	for _, g := range t.constants {
		gotype, ok := goType(g)
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "\n// %s of the ABI.\nconst (\n", goTitle(g))
		for _, c := range g.Constants {
			fmt.Fprintf(&b, "\t%s %s = %s\n", goName(c.Name), gotype, c.Text)
		}
		b.WriteString(")\n")
	}
	return format.Source(b.Bytes())
}

// goType is the Go type of the constants of a group; "" is untyped. There are none in Go for
// the type of strings, which are null.
func goType(g api.Group) (name string, ok bool) {
	if g.Form != "type" {
		return "", true
	}
	kind := strings.TrimPrefix(g.Title, "*")
	switch {
	case strings.HasPrefix(kind, "["), kind == "Status":
		return "", false
	case kind == "Offset":
		return "", true
	case strings.Contains(kind, "_function"), kind == "int":
		return "Address", true
	}
	return goHandle(kind), true
}

func goTitle(g api.Group) string {
	if g.Form == "type" || g.Form == "enum" {
		return "Constants of type " + strings.TrimPrefix(g.Title, "*")
	}
	return g.Title
}

// goName is the name of a constant in Go, where no name begins with a digit.
func goName(name string) string {
	if after, ok := strings.CutPrefix(name, "2"); ok {
		return "TWO_" + after
	}
	return strings.TrimPrefix(name, "MPIX_")
}
