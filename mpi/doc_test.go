package mpi

import (
	"go/ast"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTypesAreOwn: go doc shows neither fields nor methods of an alias. So the only aliases are those of
// errors, whose package is public.
func TestTypesAreOwn(t *testing.T) {
	types := 0
	for _, f := range parseFolder(t, ".") {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.TypeSpec)
			if !ok || !s.Name.IsExported() {
				return true
			}
			types++
			if s.Assign.IsValid() {
				of, ok := s.Type.(*ast.SelectorExpr)
				require.True(t, ok, s.Name.Name)
				require.Equal(t, "fault", of.X.(*ast.Ident).Name, "%s is an alias", s.Name.Name)
			}
			return true
		})
	}
	require.Greater(t, types, 30)
}
