package cad

import "fmt"

// Setup is how the nonblocking collective operations of a job are progressed.
type Setup struct {
	Options
	Helpers int // how many ranks have a helper
}

// ParseSetup reads a policy, or "messages" (Options.Messages); an empty string stands for
// the default.
func ParseSetup(progress string, helpers int, check bool) (s Setup, err error) {
	s.Helpers, s.Check = helpers, check
	switch progress {
	case "":
	case "messages":
		s.Messages = true
	default:
		if s.Policy, err = ParsePolicy(progress); err != nil {
			return s, fmt.Errorf("%w, and messages", err)
		}
	}
	return s, nil
}

// Helps tells whether a rank of a job has one of the helpers, which are spread evenly.
func (s Setup) Helps(rank, ranks int) bool {
	k := min(s.Helpers, ranks)
	return (rank+1)*k/ranks != rank*k/ranks
}
