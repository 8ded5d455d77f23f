package main

import (
	"strings"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// cBase is the C type of an element.
func cBase(base string) string {
	switch base {
	case "int", "char", "void", "double":
		return base
	case "string":
		return "char *"
	case "Address":
		return "void *"
	}
	return api.CName(base)
}

// join writes a declaration: a pointer's star sticks to the name.
func join(ctype, name string) string {
	if strings.HasSuffix(ctype, "*") {
		return ctype + name
	}
	return ctype + " " + name
}

// declare is an argument in C.
func declare(a api.Arg) string {
	k, base := a.Kind, cBase(a.Base)
	constant := ""
	if k.Const {
		constant = "const "
	}
	switch k.Shape {
	case api.Pointer:
		if k.Base == "Address" {
			return "void *" + a.Name // the program passes the address of any pointer
		}
		return constant + join(base+" *", a.Name)
	case api.In:
		if k.Base == "string" {
			return "char *" + a.Name + "[]"
		}
		return "const " + join(base, a.Name) + "[]"
	case api.Out:
		if k.Base == "char" {
			return "char *" + a.Name
		}
		return join(base, a.Name) + "[]"
	case api.InOfArrays:
		if k.Base == "string" {
			return "char **" + a.Name + "[]"
		}
		return join(base, a.Name) + "[][3]"
	case api.Argv:
		return "char ***" + a.Name
	}
	if k.Base == "string" {
		return "const char *" + a.Name
	}
	return constant + join(base, a.Name)
}

// parameters are the parameters of a function in C, in parentheses.
func parameters(f api.Function) string {
	var all []string
	for _, a := range f.Own() {
		all = append(all, declare(a))
	}
	if f.Rest {
		all = append(all, "...")
	}
	if len(all) == 0 {
		all = []string{"void"}
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// result is the type that a function returns in C.
func result(f api.Function) string {
	if f.Result == "" {
		return "int"
	}
	return cBase(f.Result)
}

// prototype is a function in C without a semicolon. The prefix is "" or "P".
func prototype(prefix string, f api.Function) string {
	return join(result(f), prefix+api.CName(f.Name)) + parameters(f)
}
