package mpi

import (
	"go/ast"
	"go/token"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAliasesNameTheirMethods: go doc shows no methods of an alias, so its comment names
// them all.
func TestAliasesNameTheirMethods(t *testing.T) {
	comments := aliasComments(t)
	for name, typ := range map[string]reflect.Type{
		"Comm":      reflect.TypeFor[*Comm](),
		"Group":     reflect.TypeFor[*Group](),
		"Request":   reflect.TypeFor[*Request](),
		"Status":    reflect.TypeFor[*Status](),
		"Graph":     reflect.TypeFor[*Graph](),
		"Cart":      reflect.TypeFor[*Cart](),
		"DistGraph": reflect.TypeFor[*DistGraph](),
	} {
		words := strings.FieldsFunc(comments[name], func(r rune) bool { return strings.ContainsRune(" ,.:;()\n\t", r) })
		for i := range typ.NumMethod() {
			method := typ.Method(i).Name
			if _, inherited := reflect.TypeFor[*Comm]().MethodByName(method); name == "Comm" || !inherited {
				require.Contains(t, words, method, "%s: its comment does not name method %s", name, method)
			}
		}
	}
}

// aliasComments returns the comments of the types that are aliases.
func aliasComments(t *testing.T) map[string]string {
	comments := map[string]string{}
	for _, f := range parseFolder(t, ".") {
		ast.Inspect(f, func(n ast.Node) bool {
			if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				for _, spec := range d.Specs {
					if s := spec.(*ast.TypeSpec); s.Assign.IsValid() {
						comments[s.Name.Name] = d.Doc.Text() + s.Doc.Text()
					}
				}
			}
			return true
		})
	}
	return comments
}
