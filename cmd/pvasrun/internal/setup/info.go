package setup

import (
	"context"
	"encoding/json"
	"os"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/settings"
	"github.com/gopvas/gopvas/internal/machine"
	"github.com/gopvas/gopvas/pvas"
)

const infoDescription = `Prints CPUs and caches, kernel, page sizes and huge-page settings, the limits that a job ` +
	`meets and how many ranks they allow, and which features work here (each is tried, not concluded from versions), ` +
	`and the settings of messages with the flags and variables given, and where they come from. With --hosts or ` +
	`--hostfile it asks the nodes of a job instead: whether they are reached, their versions, limits, ` +
	`networks and clocks.`

// Info is what the command finds, as JSON.
type Info struct {
	machine.Info
	settingsInfo
}

func ExecuteInfo(args []string) error {
	var f struct {
		settings.TunableFlags
		settings.ProfileFlags
		settings.WhereFlags
		JSON bool `long:"json" env:"PVASRUN_JSON" description:"print one JSON object"`
	}
	if err := cli.ParseOnly("pvasrun info", infoDescription, &f, args); err != nil {
		return err
	}
	if f.Hosts != "" || f.Hostfile != "" {
		return printNodes(context.Background(), &f.WhereFlags, f.JSON)
	}
	settings, err := describeSettings(&f.TunableFlags, &f.ProfileFlags)
	if err != nil {
		return cli.Mistake(err)
	}
	found := Info{machine.Probe(machine.NamedProbe{
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
