package evaluation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// experiments makes them, by name and in the order in which they are run.
var experiments = []struct {
	name string
	make func(*Config) Experiment
}{
	{"pingpong", (*Config).pingpong},
	{"rate", (*Config).rate},
	{"bcast", (*Config).bcast},
	{"allreduce", (*Config).allreduce},
	{"npb", (*Config).npb},
	{"threads", (*Config).threads},
	{"footprint", (*Config).footprint},
	{"is-memory", (*Config).isMemory},
	{"pie", (*Config).pie},
	{"huge-pages", (*Config).hugePages},
	{"startup", (*Config).startup},
	{"overlap", (*Config).overlap},
}

// ExperimentNames are the names of all experiments.
func ExperimentNames() (names []string) {
	for _, e := range experiments {
		names = append(names, e.name)
	}
	return names
}

// Experiments returns the experiments of these names, or all.
func (c *Config) Experiments(names []string) (list []Experiment, err error) {
	for _, name := range names {
		if !slices.Contains(ExperimentNames(), name) {
			return nil, fmt.Errorf("bench: all: no experiment %q: there are %s", name,
				strings.Join(ExperimentNames(), ", "))
		}
	}
	for _, e := range experiments {
		if len(names) > 0 && !slices.Contains(names, e.name) {
			continue
		}
		x := e.make(c)
		x.Name, x.Command = e.name, c.command(e.name)
		x.Rounds, x.Weight = max(x.Rounds, 1), max(x.Weight, 1)
		list = append(list, x)
	}
	return list, nil
}

// command is the command line that runs one experiment alone.
func (c *Config) command(name string) string {
	line := []string{"pvasrun", "bench", "all"}
	if c.Quick {
		line = append(line, "--quick")
	}
	line = append(line, "--only", name)
	if len(c.BTLs) == 1 {
		line = append(line, "--btl", c.BTLs[0])
	}
	peers := map[string]bool{}
	for _, p := range c.Peers {
		peers[p.Name] = true
	}
	if len(peers) > 0 {
		line = append(line, "--compare", strings.Join(slices.Sorted(maps.Keys(peers)), ","))
	}
	return strings.Join(line, " ")
}
