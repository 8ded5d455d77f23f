// Command settings is a rank that prints the settings it finds in its job, and the
// variables that pvasrun has put into its environment.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/node/job"
)

func main() {
	place, err := job.Join()
	if err != nil || place == nil {
		fmt.Fprintln(os.Stderr, "settings: no job:", err)
		os.Exit(1)
	}
	var names []string
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "PVAS_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	s := place.Memory.Root().Settings()
	fmt.Printf("check=%v coll=%s progress=%s helpers=%d eager=%d copy=%v pipeline=%d peer=%v %v\n",
		s.Check, s.Coll, s.Progress, s.Helpers, s.EagerLimit, s.SingleCopy, s.PipelineFrom, s.PeerTimeout, names)
}
