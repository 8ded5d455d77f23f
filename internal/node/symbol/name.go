package symbol

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// The symbols of procedures in Fortran modules, as gfortran makes them: __MODULE_MOD_PROCEDURE.
const (
	beforeModule    = "__"
	beforeProcedure = "_MOD_"
)

// longestName is the length at which a name is cut off, as a power of 2: templates make names of any length.
const longestName = 8

// mangled tells whether a symbol has the name of the source in it: of C++ or of a procedure in a Fortran module.
func mangled(symbol string) bool { return readable(symbol) != symbol }

// readable returns the name of a symbol in the source, without parameters, if it can be made of the symbol.
func readable(symbol string) string {
	if rest, ok := strings.CutPrefix(symbol, beforeModule); ok {
		if module, procedure, ok := strings.Cut(rest, beforeProcedure); ok {
			return module + "::" + procedure
		}
	}
	return demangle.Filter(symbol, demangle.NoParams, demangle.NoEnclosingParams, demangle.MaxLength(longestName))
}
