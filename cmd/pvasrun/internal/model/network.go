package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/lab/bench/transport"
)

// networkRanks are those that measure a network: one on each of two nodes.
const networkRanks = 2

// networkVariables is what the variables of the flags that name nodes begin with.
const networkVariables = "PVASRUN_FIT"

// checkNetwork reports nodes that cannot be had.
func (f *fitFlags) checkNetwork() error {
	if err := f.Network.CheckUse(networkVariables); err != nil {
		return err
	}
	switch {
	case !f.Network.Several():
		return nil
	case f.From != "":
		return errors.New("--from: it has the times of one link, and nothing is measured: " +
			"leave out --nodes and --hosts")
	case f.Network.IsNamed():
		nodes, err := f.Network.Named()
		if n := len(nodes.Hosts); n > networkRanks {
			return fmt.Errorf("--hosts: name the %d nodes between which the network is measured; these are %d",
				networkRanks, n)
		}
		return err
	}
	return f.Network.CheckMade(networkRanks)
}

// machineFile is where the machine of a combination is written. A network is a link of those of its task model.
func (f *fitFlags) machineFile(who string) string {
	if strings.HasSuffix(who, networkOf("")) {
		return ""
	}
	return f.Output
}

// nodes returns the two nodes between which a network is measured, nil if none is; end takes away those that were made.
func (f *fitFlags) nodes(ctx context.Context) (site *runner.Site, end func(), err error) {
	end = func() {}
	switch {
	case !f.Network.Several():
		return nil, end, nil
	case f.Network.IsNamed():
		named, err := f.Network.Named()
		if err != nil {
			return nil, end, err
		}
		for i := range named.Hosts {
			named.Hosts[i].Slots = 1
		}
		return &runner.Site{Nodes: named}, end, nil
	}
	made, end, err := f.Network.Make(ctx, networkRanks, transport.Links{Pin: true})
	return &made, end, err
}

// measureNetwork fits messages between two nodes, by the ranks of a task model. Which caches have a message makes no
// difference that a network would show.
func (f *fitFlags) measureNetwork(ctx context.Context, ranks runner.Contestant, site *runner.Site,
	limit time.Duration, sweep func()) (*fitted, error) {
	ranks.Site, ranks.Pinned = site, false // nodes that are made are bound
	got, err := f.roundTrips(ctx, ranks, 0, false, limit, sweep)
	if err != nil {
		return nil, err
	}
	r, err := fitTrips(got)
	if err != nil {
		return nil, fmt.Errorf("model fit: %s: %w", networkOf(ranks.Name), err)
	}
	r.who = networkOf(ranks.Name)
	return &r, nil
}

// networkOf names the network as ranks of a task model use it.
func networkOf(btl string) string { return btl + "-network" }
