package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/gopvas/gopvas/internal/machine"
	"github.com/gopvas/gopvas/pvas"
)

const infoDescription = `Prints CPUs and caches, kernel, page sizes and huge-page settings, the limits that a job ` +
	`meets and how many ranks they allow, and which features work here (each is tried, not concluded from versions), ` +
	`and the settings of messages with the flags and variables given, and where they come from. With --hosts or ` +
	`--hostfile it asks the nodes of a job instead: whether they are reached, their versions, limits, ` +
	`networks and clocks.`

// info is what the command finds, as JSON.
type info struct {
	machine.Info
	settingsInfo
}

func executeInfo(args []string) error {
	var f struct {
		tunableFlags
		profileFlags
		whereFlags
		JSON bool `long:"json" env:"PVASRUN_JSON" description:"print one JSON object"`
	}
	if err := parseOnly("pvasrun info", infoDescription, &f, args); err != nil {
		return err
	}
	if f.Hosts != "" || f.Hostfile != "" {
		return printNodes(context.Background(), &f.whereFlags, f.JSON)
	}
	settings, err := describeSettings(&f.tunableFlags, &f.profileFlags)
	if err != nil {
		return mistake(err)
	}
	found := info{machine.Probe(machine.NamedProbe{
		Name: "one address space", Purpose: "--btl pvas", Run: pvas.Supported,
	}), settings}
	if f.JSON {
		return json.NewEncoder(os.Stdout).Encode(found)
	}
	if err := found.WriteText(os.Stdout); err != nil {
		return err
	}
	return found.writeText(os.Stdout)
}
