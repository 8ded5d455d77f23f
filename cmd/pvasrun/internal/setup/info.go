package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/settings"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/machine"
	"github.com/gopvas/gopvas/pvas"
)

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
	programs, err := cli.ParseMixed("pvasrun info", "[flags] [PROGRAM]", &f, args)
	switch {
	case err != nil:
		return err
	case len(programs) > 1:
		return cli.Mistake(fmt.Errorf("info: unexpected argument %q: name one program", programs[1]))
	case len(programs) == 1 && f.Hosts != "" && os.Getenv("PVASRUN_HOSTS") == "",
		len(programs) == 1 && f.Hostfile != "" && os.Getenv("PVASRUN_HOSTFILE") == "":
		return cli.Mistake(fmt.Errorf("info: %s beside --hosts or --hostfile: it looks at a program on this node: "+
			"leave one of them out", programs[0]))
	case len(programs) == 1:
		return printProgram(programs[0], f.JSON)
	}
	if f.Hosts != "" || f.Hostfile != "" {
		return printNodes(context.Background(), &f.WhereFlags, f.JSON)
	}
	settings, err := describeSettings(&f.TunableFlags, &f.ProfileFlags)
	if err != nil {
		return cli.Mistake(err)
	}
	found := Info{machine.Probe(machine.NamedProbe{
		Name: "one address space", Purpose: "--btl pvas", Run: pvas.Supported, BTL: job.BTLPvas.String(),
	}), settings}
	if f.JSON {
		return json.NewEncoder(os.Stdout).Encode(found)
	}
	if err := found.WriteText(os.Stdout); err != nil {
		return err
	}
	return found.writeText(os.Stdout)
}
