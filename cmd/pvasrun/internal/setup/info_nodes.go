package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/settings"
	"github.com/gopvas/gopvas/internal/node/linkage"
	"github.com/gopvas/gopvas/launcher/cluster"
)

// nodeInfo is a node as JSON.
type nodeInfo struct {
	cluster.NodeCheck
	Error string `json:"error,omitempty"`
}

// printNodes asks the nodes what they have. The code is 1 if a node can take no ranks, or messages do not get through.
func printNodes(ctx context.Context, f *settings.WhereFlags, asJSON bool) error {
	hosts, slurm, err := f.Named()
	if err != nil {
		return cli.Mistake(err)
	}
	checks, err := cluster.Check(ctx, cluster.Nodes{Hosts: hosts, Shell: f.Shell(), Slurm: slurm,
		StartTime: time.Duration(f.StartTimeout)})
	if err != nil {
		return err
	}
	write := writeNodes
	if asJSON {
		write = writeNodesJSON
	}
	if err := write(os.Stdout, checks); err != nil {
		return err
	}
	for _, c := range checks {
		if c.Err != nil || c.Unheard != nil {
			return cli.ExitStatus(1)
		}
	}
	return nil
}

func writeNodesJSON(w io.Writer, checks []cluster.NodeCheck) error {
	var list []nodeInfo
	for _, c := range checks {
		n := nodeInfo{NodeCheck: c}
		if c.Err != nil {
			n.Error = c.Err.Error()
		}
		list = append(list, n)
	}
	return json.NewEncoder(w).Encode(list)
}

func writeNodes(w io.Writer, checks []cluster.NodeCheck) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "node\thost name\tanswered after\tCPUs\topen files\tkernel\tnetwork devices\tremarks")
	for _, c := range checks {
		if c.Err != nil {
			fmt.Fprintf(t, "%s\t-\t-\t-\t-\t-\t-\tcan take no ranks: %v\n", c.Name, c.Err)
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%v\t%d\t%d\t%s\t%s\t%s\n", c.Name, c.Hostname,
			c.Took.Round(time.Millisecond), c.CPUs, c.Files,
			c.Kernel, devices(&c), remarks(&c))
	}
	return t.Flush()
}

// devices are the network devices of a node with their addresses.
func devices(c *cluster.NodeCheck) string {
	var list []string
	for i, a := range c.Addresses {
		list = append(list, strings.TrimSpace(c.Devices[i]+" "+a.String()))
	}
	return strings.Join(list, ", ")
}

// clockOff is a difference of clocks worth a remark: files and logs seem to come from the future.
const clockOff = 500 * time.Millisecond

func remarks(c *cluster.NodeCheck) string {
	var list []string
	if c.Space != "" {
		list = append(list, "no common address space: "+c.Space)
	}
	if c.Build != linkage.Build() {
		list = append(list, "another build of pvasrun: "+c.Build)
	}
	if c.Clock.Abs() > clockOff {
		list = append(list, fmt.Sprintf("its clock differs by %v", c.Clock.Round(time.Millisecond)))
	}
	if len(c.Addresses) == 0 {
		list = append(list, "it has no address but that of its loopback")
	}
	if c.Unheard != nil {
		list = append(list, "no datagram comes from "+strings.Join(c.Unheard, ", ")+
			": a firewall must let UDP pass, or --devices name others")
	}
	for _, path := range c.UnheardBy {
		list = append(list, "no datagram comes from "+path)
	}
	for _, name := range c.Down {
		list = append(list, name+": link is down")
	}
	return strings.Join(list, "; ")
}
