package options

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// launchers are those whose options are known, with their letters in the table.
var launchers = map[string]string{"mpirun": "o5", "mpiexec": "hi", "srun": "s"}

// Launchers are the names that PrintHelp takes.
func Launchers() []string { return slices.Sorted(maps.Keys(launchers)) }

// PrintHelp prints what pvasrun does with the options of a launcher. Those that are spelled as flags of pvasrun, and
// mean the same, are not among them.
func PrintHelp(w io.Writer, launcher string) error {
	for _, o := range table {
		if !strings.ContainsAny(o.by, launchers[launcher]) {
			continue
		}
		does := o.does.text
		if o.does.flags == nil {
			does = "is ignored with a warning: " + does
		}
		var names []string
		for name := range strings.FieldsSeq(o.names) {
			names = append(names, dashed(name))
		}
		words := strings.TrimRight(strings.Join(names, ", ")+" "+strings.Trim(o.value, "[]"), " ")
		if _, err := fmt.Fprintf(w, "  %-22s  %s\n", words, does); err != nil {
			return err
		}
	}
	return nil
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// Names are all options, with their dashes.
func Names() []string {
	var names []string
	for name := range byName {
		names = append(names, dashed(name))
	}
	slices.Sort(names)
	return names
}
