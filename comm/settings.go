package comm

import (
	"os"

	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/coll/cad"
)

// Settings are what the starter of the job has chosen for all ranks.
type Settings struct {
	Choice coll.Choice // of collective algorithms
	Check  bool        // whether all ranks are asked whether they make the same call
	cad.Setup
}

// readSettings returns the settings of the job that this process belongs to.
func readSettings() (s Settings, err error) {
	if s.Choice, err = coll.ParseChoice(os.Getenv(coll.EnvChoice)); err != nil {
		return s, err
	}
	s.Setup, err = cad.ParseSetup(os.Getenv(cad.EnvProgress), os.Getenv(cad.EnvHelpers))
	s.Check = os.Getenv(coll.EnvCheck) != ""
	return s, err
}
