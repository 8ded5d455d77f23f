package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"strings"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// constants makes the constants of package capi.
func constants(t *table) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generatedGo + "\nimport \"github.com/gopvas/gopvas/datatype\"\n")
	texts := "\n// classTexts are the strings of the classes of the ABI.\nvar classTexts = map[int]string{\n"
	basics := "\n// basicTypes are the predefined types of one element.\nvar basicTypes = []basicType{\n"
	for _, g := range t.constants {
		gotype, ok := goType(g)
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "\n// %s of the ABI.\nconst (\n", goTitle(g))
		for _, c := range g.Constants {
			fmt.Fprintf(&b, "\t%s %s = %s\n", goName(c.Name), gotype, c.Text)
			switch {
			case c.Note == "":
			case g.Title == "Datatype":
				basics += basic(c)
			default:
				texts += fmt.Sprintf("\t%s: %q,\n", goName(c.Name), c.CName()+": "+c.Note)
			}
		}
		b.WriteString(")\n")
	}
	b.WriteString(texts + "}\n" + basics + "}\n")
	return format.Source(b.Bytes())
}

// basic is a row of the predefined datatypes.
func basic(c api.Constant) string {
	words := append(strings.Fields(c.Note), c.Name)
	size, external, _ := strings.Cut(words[1], "/")
	return fmt.Sprintf("\t{%s, %q, datatype.Kind%s, %s, %s},\n", goName(c.Name), "MPI_"+words[2], words[0], size,
		cmp.Or(external, "0"))
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
