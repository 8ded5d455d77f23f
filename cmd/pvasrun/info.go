package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/gopvas/gopvas/internal/machine"
	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/pvas"
)

const infoDescription = `Prints CPUs and caches, kernel, page sizes and huge-page settings, the limits that a job meets and how many ranks they allow, and which features work here (each is tried, not concluded from versions), and the tunables of messages as they are set by the environment. With --hosts or --hostfile it asks the nodes of a job instead: whether they are reached, their versions, limits, networks and clocks.`

// info is what the command finds, as JSON.
type info struct {
	machine.Info
	Tunables tunableInfo `json:"tunables"`
}

type tunableInfo struct {
	EagerLimit int    `json:"eager_limit"`
	RingBlock  int    `json:"ring_block"`
	Spin       int    `json:"spin"`
	SingleCopy string `json:"single_copy"`
}

func describeTunables(t job.Settings) (tunableInfo, error) {
	t, err := t.Resolve()
	return tunableInfo{t.EagerLimit, t.RingBlock, t.Spin, t.SingleCopy.String()}, err
}

func executeInfo(args []string) error {
	var f struct {
		tunableFlags
		whereFlags
		JSON bool `long:"json" env:"PVASRUN_JSON" description:"print one JSON object"`
	}
	if err := parseOnly("pvasrun info", infoDescription, &f, args); err != nil {
		return err
	}
	if f.Hosts != "" || f.Hostfile != "" {
		return f.printNodes(context.Background(), f.JSON)
	}
	settings, err := f.settings()
	if err != nil {
		return usageError{err}
	}
	found := info{Info: machine.Probe(machine.NamedProbe{
		Name: "one address space", Purpose: "--btl pvas", Run: pvas.Supported,
	})}
	if found.Tunables, err = describeTunables(settings); err != nil {
		return err
	}
	if f.JSON {
		return json.NewEncoder(os.Stdout).Encode(found)
	}
	if err := found.WriteText(os.Stdout); err != nil {
		return err
	}
	t := found.Tunables
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\nTunable\t\tflag\n")
	fmt.Fprintf(w, "eager limit\t%d bytes\t--eager-limit\n", t.EagerLimit)
	fmt.Fprintf(w, "ring block\t%d bytes\t--ring-block\n", t.RingBlock)
	fmt.Fprintf(w, "single copy\t%s\t--single-copy\n", t.SingleCopy)
	fmt.Fprintf(w, "spin\t%d looks, none with more ranks than CPUs\t--spin\n", t.Spin)
	return w.Flush()
}
