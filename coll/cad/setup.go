package cad

import (
	"fmt"
	"strconv"
)

// Environment variables of ranks, with what ParseSetup reads.
const (
	EnvProgress = "PVAS_PROGRESS"
	EnvHelpers  = "PVAS_HELPERS"
)

// Setup is how the nonblocking collective operations of a job are progressed.
type Setup struct {
	Options
	Helpers int // how many ranks have a helper
}

// ParseSetup reads a policy and a number of helpers.
// An empty string stands for the default, which is no helper.
func ParseSetup(progress, helpers string) (s Setup, err error) {
	if progress != "" {
		if s.Policy, err = ParsePolicy(progress); err != nil {
			return s, err
		}
	}
	if helpers == "" {
		return s, nil
	}
	if s.Helpers, err = strconv.Atoi(helpers); err != nil || s.Helpers < 0 {
		return s, fmt.Errorf("cad: %q is not a number of helpers", helpers)
	}
	return s, nil
}

// Helps tells whether a rank of a job has one of the helpers, which are spread evenly.
func (s Setup) Helps(rank, ranks int) bool {
	k := min(s.Helpers, ranks)
	return (rank+1)*k/ranks != rank*k/ranks
}
