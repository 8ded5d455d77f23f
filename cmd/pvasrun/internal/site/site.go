package site

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/settings"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/lab/bench/transport"
	"github.com/gopvas/gopvas/launcher/cluster"
)

// Flags say on which nodes something is measured.
type Flags struct {
	Hosts    string   `long:"hosts" env:"HOSTS" value-name:"LIST" description:"nodes to run on, each with its number of ranks or without: a:4,b:4"`
	Hostfile string   `long:"hostfile" env:"HOSTFILE" value-name:"FILE" description:"a file that names the nodes, one a line: a slots=4"`
	Rsh      string   `long:"rsh" env:"RSH" value-name:"CMD" default-mask:"ssh, or srun in a Slurm allocation" description:"start pvasrun on a node by CMD HOST COMMAND"`
	Nodes    int      `long:"nodes" least:"2" most:"64; each is a network namespace of this machine" env:"NODES" value-name:"N" default-mask:"none; of bench exchange 2" description:"network namespaces to make on this machine as nodes, without --hosts"`
	Devices  string   `long:"devices" env:"DEVICES" value-name:"LIST" default-mask:"with --hosts one in each network that all nodes are in, else 1, of bench exchange 4" description:"network devices by name or network, with --hosts; of nodes that are made their number"`
	Rate     Bits     `long:"rate" env:"RATE" value-name:"BITS" default-mask:"not limited; of bench exchange 50M" description:"bits per second of each device of nodes that are made, such as 1G"`
	Buffer   cli.Size `long:"buffer" env:"BUFFER" value-name:"SIZE" default:"64KiB" description:"queue of their switches towards each device, with a rate"`
}

// IsNamed tells whether flags name nodes.
func (f *Flags) IsNamed() bool { return f.Hosts != "" || f.Hostfile != "" }

// Several tells whether there are nodes at all.
func (f *Flags) Several() bool { return f.IsNamed() || f.Nodes != 0 }

// Named returns the nodes that are named by flags, or by a Slurm allocation.
func (f *Flags) Named() (n cluster.Nodes, err error) {
	where := settings.WhereFlags{Hosts: f.Hosts, Hostfile: f.Hostfile, Rsh: f.Rsh}
	if n.Hosts, n.Slurm, err = where.Named(); err != nil || n.Hosts == nil {
		return n, err
	}
	if n.Shell = where.Shell(); n.Shell != nil {
		n.Slurm = false
	}
	if f.Devices != "" {
		n.Devices = strings.Split(f.Devices, ",")
	}
	if len(n.Hosts) < 2 {
		return n, errors.New("--hosts: name two nodes or more")
	}
	return n, nil
}

// Ranks is how many ranks a job has by default: as many as the nodes take that are named, or one on each that is made,
// and on this node alone so many.
func (f *Flags) Ranks(alone int) (int, error) {
	if !f.IsNamed() {
		return max(alone, f.Nodes), nil
	}
	n, err := f.Named()
	return cluster.Slots(n.Hosts), err
}

// CheckMade refuses nodes that cannot be made, or that have no rank.
func (f *Flags) CheckMade(ranks int) error {
	if _, err := f.devices(); err != nil {
		return err
	}
	if ranks < f.Nodes {
		return fmt.Errorf("--nodes %d: each needs a rank, and there are %d", f.Nodes, ranks)
	}
	return CheckLinks(f.Rate, f.Buffer)
}

// CheckUse refuses flags that would have no effect. Variables of the environment, whose names begin as given, are for
// several commands, so they are no mistake.
func (f *Flags) CheckUse(variables string) error {
	given := func(value bool, variable string) bool {
		return value && os.Getenv(variables+"_"+variable) == ""
	}
	nodes, rate := given(f.Nodes != 0, "NODES"), given(f.Rate != 0, "RATE")
	switch {
	case f.IsNamed() && (nodes || rate):
		return errors.New("--nodes and --rate are of nodes that are made: leave them out with --hosts and --hostfile")
	case given(f.Rsh != "", "RSH") && !f.IsNamed():
		return errors.New("--rsh: name nodes by --hosts or --hostfile")
	case !f.Several() && (rate || given(f.Devices != "", "DEVICES")):
		return errors.New("--devices and --rate: on this node alone no message uses a network device; " +
			"give --nodes or --hosts")
	}
	return nil
}

// devices is how many devices each node gets that is made.
func (f *Flags) devices() (int, error) {
	if f.Devices == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(f.Devices)
	if err != nil || n < 1 || n > transport.MostDevices {
		return 0, fmt.Errorf("--devices %s: without --hosts give a number from 1 to %d",
			f.Devices, transport.MostDevices)
	}
	return n, nil
}

// Place returns the nodes that jobs of least to most ranks of a command run on, nil for this node alone. end takes away
// those that are made.
func (f *Flags) Place(ctx context.Context, command string,
	least, most int) (where *runner.Site, end func(), err error) {
	end = func() {}
	switch {
	case f.IsNamed():
		nodes, err := f.Named()
		if err == nil {
			err = nodes.Check(most)
		}
		if err != nil {
			return nil, end, cli.Mistake(err)
		}
		return &runner.Site{Nodes: nodes}, end, nil
	case f.Nodes == 0:
		return nil, end, nil
	}
	if err := f.CheckMade(least); err != nil {
		return nil, end, cli.Mistake(err)
	}
	made, end, err := f.Make(ctx, most, transport.Links{})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", command, err)
	}
	return &made, end, nil
}

// Make makes network namespaces for so many ranks. end takes them away.
func (f *Flags) Make(ctx context.Context, ranks int,
	links transport.Links) (s runner.Site, end func(), err error) {
	if err := transport.ErrCluster(); err != nil {
		return s, nil, fmt.Errorf("%w; or name nodes by --hosts", err)
	}
	if links.Devices, err = f.devices(); err != nil {
		return s, nil, err
	}
	links.Rate, links.Buffer = int(f.Rate), int(f.Buffer)
	c, err := transport.NewCluster(ctx, f.Nodes, links)
	if err != nil {
		return s, nil, err
	}
	s = runner.Site{Lead: c.Command(ctx, 0).Args, Oversubscribed: ranks > runtime.NumCPU()}
	s.Nodes.Shell = c.Shell()
	for i := range links.Devices {
		s.Nodes.Devices = append(s.Nodes.Devices, "eth"+strconv.Itoa(i))
	}
	for i := range f.Nodes {
		s.Nodes.Hosts = append(s.Nodes.Hosts, cluster.Host{Name: c.Address(i).String()})
	}
	return s, c.Close, nil
}
