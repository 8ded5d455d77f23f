package main

import (
	"encoding/json"
	"os"

	"github.com/gopvas/gopvas/internal/machine"
	"github.com/gopvas/gopvas/pvas"
)

const infoDescription = `Prints CPUs and caches, kernel, page sizes and huge-page settings, the limits that a job meets and how many ranks they allow, and which features work here. Each is tried, not concluded from versions.`

func executeInfo(args []string) error {
	var f struct {
		JSON bool `long:"json" env:"PVASRUN_JSON" description:"print one JSON object"`
	}
	if err := parseOnly("pvasrun info", infoDescription, &f, args); err != nil {
		return err
	}
	info := machine.Probe(machine.NamedProbe{
		Name: "one address space", Purpose: "--btl pvas", Run: pvas.Supported,
	})
	if f.JSON {
		return json.NewEncoder(os.Stdout).Encode(info)
	}
	return info.WriteText(os.Stdout)
}
