package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"strings"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// constants makes the constants of package capi, and the others those of the libraries that are built with a tag.
func constants(t *table) ([]byte, error)        { return constantsOf(t.face) }
func constantsOpenMPI(t *table) ([]byte, error) { return constantsOf(t.openMPI) }
func constantsMPICH(t *table) ([]byte, error)   { return constantsOf(t.mpich) }

func constantsOf(face api.Face) ([]byte, error) {
	var b bytes.Buffer
	tag, held, status := cmp.Or(face.Tag, "!openmpi && !mpich"), "uintptr", "plainStatus"
	if face.Form == api.Ints {
		held, status = "uint32", "packedStatus"
	}
	b.WriteString(strings.Replace(generatedGo, "\npackage", "\n//go:build "+tag+"\n\npackage", 1) +
		"\nimport \"github.com/gopvas/gopvas/datatype\"\n")
	fmt.Fprintf(&b, "\n// The face of the library.\nconst (\n\tlibraryVersion = %q\n\tstatusSize = %d\n"+
		"\tstatusIgnore = %d\n\thandlesAreObjects = %v // predefined ones\n\thandlesAreInts = %v\n)\n"+
		"\n// held is a handle in the memory of the program, but of a file.\ntype held %s\n\ntype statusWords = %s\n",
		face.Version, face.StatusSize, face.StatusIgnore(), face.Form == api.Objects, face.Form == api.Ints, held,
		status)
	texts := "\n// classTexts are the strings of the classes of the ABI.\nvar classTexts = map[int]string{\n"
	basics := "\n// basicTypes are the predefined types of one element.\nvar basicTypes = []basicType{\n"
	for _, g := range face.Constants {
		gotype, ok := goType(g)
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "\n// %s of the ABI.\nconst (\n", goTitle(g))
		for _, c := range g.Constants {
			text := c.Text
			if c.Value < 0 && gotype != "" {
				text = fmt.Sprintf("1<<64 - %d", -c.Value) // a handle has no sign
			}
			fmt.Fprintf(&b, "\t%s %s = %s\n", goName(c.Name), gotype, text)
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
