package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// target is what the method of a function does. The head of functions.txt describes the notation.
type target struct {
	f       api.Function
	outs    []api.Arg // those that take the results
	fails   bool      // the expression has an error besides
	right   string    // the expressions, of which lookups have become variables
	lookups []string  // calls that return an object and an error, in the order in which they are made
	named   map[string]bool
}

// everyArgument is the place of all arguments of the function in a call.
var everyArgument = regexp.MustCompile(`([(,] ?)\.\.\.([,)])`)

// paramName is the name of an argument in Go: those of two packages are taken.
func paramName(a api.Arg) string {
	switch a.Name {
	case "comm":
		return "c"
	case "datatype":
		return "t"
	}
	return a.Name
}

// parseTarget reads the target of a function.
func (t *table) parseTarget(f api.Function) (*target, error) {
	g := &target{f: f, right: f.Target, named: map[string]bool{}}
	if left, right, ok := strings.Cut(f.Target, " = "); ok {
		g.right = right
		for _, name := range strings.Split(left, ", ") {
			if g.fails {
				return nil, fmt.Errorf("the error is not the last of %s", left)
			}
			i := slices.IndexFunc(f.Args, func(a api.Arg) bool { return a.Name == name && a.Shape == api.Pointer })
			switch {
			case name == "error":
				g.fails = true
			case i < 0:
				return nil, fmt.Errorf("%s is no argument that a result can be written to", name)
			default:
				g.outs = append(g.outs, f.Args[i])
			}
		}
	}
	var all []string
	for _, a := range f.Args {
		all = append(all, paramName(a))
	}
	call := everyArgument.ReplaceAllString("list("+g.right+")", "${1}"+strings.Join(all, ", ")+"${2}")
	parsed, err := parser.ParseExpr(call)
	if err != nil {
		return nil, err
	}
	list, ok := parsed.(*ast.CallExpr)
	if !ok {
		return nil, fmt.Errorf("%q is no list of expressions", g.right)
	}
	var right []string
	for i := range list.Args {
		list.Args[i] = t.lookUp(g, list.Args[i])
		right = append(right, goText(list.Args[i]))
	}
	g.right = strings.Join(right, ", ")
	if g.makesType() {
		g.named["form"] = true
	}
	makesComm := slices.ContainsFunc(g.outs, func(a api.Arg) bool { return a.Base == "Comm" })
	if makesComm && (len(g.outs) != 1 || !g.fails || len(g.lookups) == 0) {
		return nil, fmt.Errorf("a Comm is the only result besides the error, and is made from an object of the call")
	}
	return g, nil
}

// lookUp replaces the lookups in an expression by the variables that their objects are in.
func (t *table) lookUp(g *target, e ast.Expr) ast.Expr {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			g.named[id.Name] = true
		}
		return true
	})
	return replace(e, func(call *ast.CallExpr) ast.Expr {
		id, ok := call.Fun.(*ast.Ident)
		if !ok || t.lookups[id.Name] == "" {
			return nil
		}
		id.Name = t.lookups[id.Name]
		made := goText(call)
		i := slices.Index(g.lookups, made)
		if i < 0 {
			i, g.lookups = len(g.lookups), append(g.lookups, made)
		}
		return ast.NewIdent(fmt.Sprintf("o%d", i+1))
	})
}

// goText is the expression in Go.
func goText(e ast.Expr) string {
	var b strings.Builder
	_ = printer.Fprint(&b, token.NewFileSet(), e) // a Builder does not fail
	return b.String()
}

// replace has change replace calls in an expression, inner ones first.
func replace(e ast.Expr, change func(*ast.CallExpr) ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.CallExpr:
		e.Fun = replace(e.Fun, change)
		for i := range e.Args {
			e.Args[i] = replace(e.Args[i], change)
		}
		if other := change(e); other != nil {
			return other
		}
	case *ast.CompositeLit:
		for i := range e.Elts {
			e.Elts[i] = replace(e.Elts[i], change)
		}
	case *ast.SelectorExpr:
		e.X = replace(e.X, change)
	case *ast.UnaryExpr:
		e.X = replace(e.X, change)
	case *ast.BinaryExpr:
		e.X, e.Y = replace(e.X, change), replace(e.Y, change)
	case *ast.IndexExpr:
		e.X, e.Index = replace(e.X, change), replace(e.Index, change)
	}
	return e
}

// makesType tells whether the function makes a datatype of others.
func (g *target) makesType() bool { return len(g.outs) == 1 && g.outs[0].Base == "Datatype" && g.fails }

// derived are the arguments of the method that gives a datatype a handle. Its combiner has the name of the
// function.
func (g *target) derived() []string {
	combiner := strings.TrimPrefix(strings.TrimPrefix(g.f.Name, "Type_"), "create_")
	args := []string{"v1", "err", "form", "COMBINER_" + strings.ToUpper(combiner), paramName(g.outs[0])}
	for i, call := range g.lookups {
		switch {
		case strings.HasPrefix(call, "p.typeOf("):
			args = append(args, fmt.Sprintf("o%d", i+1))
		case strings.HasPrefix(call, "p.typesOf("):
			args = append(args, fmt.Sprintf("o%d...", i+1))
		}
	}
	return args
}

// params are the parameters of the method, their names and types.
func (g *target) params() (names, types []string) {
	add := func(name, gotype string) { names, types = append(names, name), append(types, gotype) }
	if g.named["k"] {
		add("k", "*collective")
	}
	for _, a := range g.f.Args {
		gotype, _ := decode(a.Kind, 0)
		add(paramName(a), gotype)
	}
	if g.named["form"] {
		add("form", "Form")
	}
	if hidden(g.f) != "" {
		add("language", "Language")
	}
	return names, types
}

// addTargets adds the methods of functions with a target to the others.
func (t *table) addTargets() error {
	for _, f := range t.functions {
		if f.Target == "" || f.Form != api.Base {
			continue
		}
		g, err := t.parseTarget(f)
		if err != nil {
			return fmt.Errorf("gen: read the target of %s: %w", f.Name, err)
		}
		if _, there := t.methods[f.Name]; there {
			return fmt.Errorf("gen: read the target of %s: Process has a method of this name", f.Name)
		}
		_, types := g.params()
		for name, m := range (method{name: f.Name, params: types, results: []string{"error"}}).functions() {
			t.methods[name] = m
		}
	}
	return nil
}

// write writes the result v where the program wants it.
func write(a api.Arg, v string) string {
	switch {
	case a.Base == "Group":
		v = "p.newGroup(" + v + ")"
	case a.Base == "Info":
		v = "Info(p.infos.add(" + v + "))"
	case a.Handle() || a.Base == "Address":
	case a.Growth == api.ToCount:
		return fmt.Sprintf("\t%s.SetCount(int(%s))\n", paramName(a), v)
	default:
		v = "int(" + v + ")"
	}
	return fmt.Sprintf("\t%s.Set(%s)\n", paramName(a), v)
}

const returnError = "\tif err != nil {\n\t\treturn err\n\t}\n"

// body is what the method does.
func (g *target) body() string {
	var b strings.Builder
	for i, call := range g.lookups {
		if g.right == "o1" && len(g.outs) == 0 {
			return "\t_, err := " + call + "\n\treturn err\n" // only the error is wanted
		}
		fmt.Fprintf(&b, "\to%d, err := %s\n%s", i+1, call, returnError)
	}
	switch {
	case len(g.outs) == 0 && g.fails:
		return b.String() + "\treturn " + g.right + "\n"
	case len(g.outs) == 0:
		return b.String() + "\t" + g.right + "\n\treturn nil\n"
	case len(g.outs) == 1 && !g.fails:
		return b.String() + write(g.outs[0], g.right) + "\treturn nil\n"
	}
	var results []string
	for i := range g.outs {
		results = append(results, fmt.Sprintf("v%d", i+1))
	}
	if g.fails {
		results = append(results, "err")
	}
	fmt.Fprintf(&b, "\t%s := %s\n", strings.Join(results, ", "), g.right)
	if g.outs[0].Base == "Comm" {
		return b.String() + "\treturn p.made(v1, err, o1, " + paramName(g.outs[0]) + ")\n"
	}
	if g.makesType() {
		return b.String() + "\treturn p.derived(" + strings.Join(g.derived(), ", ") + ")\n"
	}
	if g.fails {
		b.WriteString(returnError)
	}
	for i, a := range g.outs {
		b.WriteString(write(a, results[i]))
	}
	return b.String() + "\treturn nil\n"
}

// methods makes the methods of Process for functions with a target.
func methods(t *table) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generatedGo + "\nimport (\n\t\"github.com/gopvas/gopvas/datatype\"\n" +
		"\t\"github.com/gopvas/gopvas/internal/msg/coll\"\n" +
		"\t\"github.com/gopvas/gopvas/internal/msg/comm\"\n" +
		"\t\"github.com/gopvas/gopvas/internal/msg/file\"\n)\n")
	for _, f := range t.functions {
		if f.Target == "" || f.Form != api.Base {
			continue
		}
		g, err := t.parseTarget(f)
		if err != nil {
			return nil, err
		}
		var params []string
		names, types := g.params()
		for i, name := range names {
			params = append(params, name+" "+types[i])
		}
		fmt.Fprintf(&b, "\n// %s is MPI_%s.\nfunc (p *Process) %s(%s) error {\n%s}\n", f.Name, f.Name, f.Name,
			strings.Join(params, ", "), g.body())
	}
	return format.Source(b.Bytes())
}
