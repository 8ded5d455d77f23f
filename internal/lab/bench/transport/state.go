package transport

import "github.com/gopvas/gopvas/suci"

// State is what a carrier of suci knows.
type State struct {
	Counters suci.Counters
	Flows    []suci.Flow
}
