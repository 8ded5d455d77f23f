package bench

import (
	"fmt"
	"strings"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
)

// peerNames is a list of other MPIs such as openmpi,mpich, or empty.
type peerNames []string

// UnmarshalFlag parses a flag's value.
func (v *peerNames) UnmarshalFlag(text string) error {
	list, err := peersOf(text, v.Items())
	*v = list
	return err
}

// Items are those that can be compared with.
func (peerNames) Items() []string { return runner.Peers() }

// exchangePeers is a list of peers of an exchange, or empty.
type exchangePeers []string

// UnmarshalFlag parses a flag's value.
func (v *exchangePeers) UnmarshalFlag(text string) error {
	list, err := peersOf(text, v.Items())
	*v = list
	return err
}

// Items are those that can be compared with.
func (exchangePeers) Items() []string { return runner.ExchangePeers() }

// peersOf is a list of names of peers, or empty.
func peersOf(text string, known []string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	list, ok := cli.Words(text, known)
	if !ok {
		return nil, fmt.Errorf("%q is not a list of %s, each once: write for example openmpi", text,
			strings.Join(known, ", "))
	}
	return list, nil
}
