package shared

import (
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// Setup is how the nonblocking collective operations of a job are progressed.
type Setup struct {
	Options
	Helpers int // how many ranks have a helper
}

// ParseSetup reads a policy. An empty string stands for the default.
func ParseSetup(progress string, helpers int, check bool) (s Setup, err error) {
	s.Helpers, s.Check = helpers, check
	if progress != "" {
		if s.Policy, err = cad.ParsePolicy(progress); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Helps tells whether a rank of a job has one of the helpers, which are spread evenly.
func (s Setup) Helps(rank, ranks int) bool {
	k := min(s.Helpers, ranks)
	return (rank+1)*k/ranks != rank*k/ranks
}
