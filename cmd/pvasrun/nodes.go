package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/gopvas/gopvas/launcher"
)

// whereFlags name nodes.
type whereFlags struct {
	Hosts    string `long:"hosts" env:"PVASRUN_HOSTS" value-name:"LIST" description:"nodes to run on, each with its number of ranks or without: a:4,b:4"`
	Hostfile string `long:"hostfile" env:"PVASRUN_HOSTFILE" value-name:"FILE" description:"a file that names the nodes, one a line: a slots=4"`
	Rsh      string `long:"rsh" env:"PVASRUN_RSH" value-name:"CMD" default-mask:"ssh, or srun in a Slurm allocation" description:"start pvasrun on a node by CMD HOST COMMAND"`
}

// named returns the nodes that the flags name, or else those of a Slurm allocation.
func (f *whereFlags) named() (hosts []launcher.Host, slurm bool, err error) {
	switch {
	case f.Hosts != "" && f.Hostfile != "":
		return nil, false, errors.New("--hosts and --hostfile: give one of them")
	case f.Hosts != "":
		hosts, err = launcher.ParseHosts(f.Hosts)
	case f.Hostfile != "":
		hosts, err = launcher.ReadHostfile(f.Hostfile)
	}
	if err != nil {
		return nil, false, err
	}
	allocated, slurm, err := launcher.SlurmHosts(os.Getenv)
	if err != nil || hosts == nil {
		hosts = allocated
	}
	return hosts, slurm, err
}

// shell is the command of --rsh, nil if there is none.
func (f *whereFlags) shell() []string {
	if f.Rsh == "" {
		return nil
	}
	return strings.Fields(f.Rsh)
}

// nodeFlags say on which nodes a job runs, and how.
type nodeFlags struct {
	whereFlags
	Network       string `long:"network" env:"PVASRUN_NETWORK" value-name:"PREFIX" default-mask:"one that all nodes are in" description:"network for messages between nodes, such as 10.1.0.0/16"`
	Devices       string `long:"devices" env:"PVASRUN_DEVICES" value-name:"LIST" default-mask:"one in each network that all nodes are in" description:"network devices for messages between nodes, by name or network: eth0,eth1 or 10.1.0.0/16,10.2.0.0/16"`
	Exchange      string `long:"exchange" env:"PVASRUN_EXCHANGE" choice:"auto" choice:"plain" choice:"wrap" choice:"steps" choice:"stripe" default:"auto" description:"how messages are divided among the devices: see docs/exchange.md"`
	ReportDevices bool   `long:"report-devices" env:"PVASRUN_REPORT_DEVICES" description:"say at the end what each node's network devices have done"`
	NodeTimeout   lapse  `long:"node-timeout" env:"PVASRUN_NODE_TIMEOUT" value-name:"DUR" default:"5s" description:"a node that is silent for so long is lost, and ends the job"`
	Encrypt       bool   `long:"encrypt" env:"PVASRUN_ENCRYPT" description:"encrypt the messages between nodes"`
	PMI           bool   `long:"pmi" env:"PVASRUN_PMI" description:"a PMI launcher (srun --mpi=pmi2, mpiexec.hydra) has started pvasrun, as one process for each node or each rank; -n is the number of ranks of one process"`
	Preload       bool   `long:"preload" env:"PVASRUN_PRELOAD" description:"send the programs to the nodes, which need not have them"`

	nodes launcher.Nodes // without Hosts: the job runs here
}

// notGiven stands for the number of ranks until it is known.
const notGiven = math.MinInt

// executeNode is what runs on each node of a job; --hosts starts it, or srun for all nodes.
func executeNode(args []string) error {
	if len(args) == 1 && args[0] == "join" {
		return exitStatus(launcher.JoinMain(instruments))
	}
	return exitStatus(launcher.NodeMain(instruments))
}

// findNodes finds out where the job runs, and how many ranks it has by default: as many as
// the nodes take, or one for each CPU.
func (f *runFlags) findNodes() (err error) {
	if f.PMI {
		return f.findProcesses()
	}
	if f.nodes.Hosts, err = f.hosts(); err != nil {
		return err
	}
	if f.NP == notGiven {
		f.NP = runtime.NumCPU()
		if f.nodes.Hosts != nil {
			f.NP = max(launcher.Slots(f.nodes.Hosts), len(f.nodes.Hosts))
		}
	}
	if f.nodes.Hosts == nil {
		if err := f.checkHere(); err != nil {
			return err
		}
		return f.describeNodes() // nobody needs that here, but a value may be wrong
	}
	if f.nodes.Shell = f.shell(); f.nodes.Shell != nil {
		f.nodes.Slurm = false
	}
	return f.describeNodes()
}

// findProcesses leaves it to the processes of a PMI launcher to find the nodes.
func (f *runFlags) findProcesses() error {
	if f.Hosts != "" || f.Hostfile != "" || f.Rsh != "" {
		return errors.New("--pmi with --hosts, --hostfile or --rsh: the PMI launcher chooses the nodes; leave them out")
	}
	if f.NP == notGiven {
		f.NP = 1
	}
	return f.describeNodes()
}

// describeNodes is what the flags say of nodes, wherever they are.
func (f *runFlags) describeNodes() (err error) {
	if f.nodes.Timeout = time.Duration(f.NodeTimeout); f.nodes.Timeout < 100*time.Millisecond {
		return fmt.Errorf("--node-timeout %v: at least 100ms are needed", f.nodes.Timeout)
	}
	f.nodes.Preload, f.nodes.ReportDevices = f.Preload, f.ReportDevices
	if f.Devices != "" {
		f.nodes.Devices = strings.Split(f.Devices, ",")
	}
	switch {
	case f.Network == "":
		return nil
	case f.Devices != "" && !f.PMI && os.Getenv("PVASRUN_DEVICES") == "" && os.Getenv("PVASRUN_NETWORK") == "":
		return errors.New("--network beside --devices: the devices say which networks are used; leave --network out")
	}
	if f.nodes.Network, err = netip.ParsePrefix(f.Network); err != nil {
		return fmt.Errorf("--network %q: write for example 10.1.0.0/16", f.Network)
	}
	return nil
}

// checkHere refuses flags of network devices for a job on this node alone. Variables of the
// environment are for all jobs, so they are no mistake.
func (f *runFlags) checkHere() error {
	for _, flag := range []struct {
		name, variable string
		given          bool
	}{
		{"--devices", "PVASRUN_DEVICES", f.Devices != ""},
		{"--exchange", "PVASRUN_EXCHANGE", f.Exchange != "auto"},
		{"--report-devices", "PVASRUN_REPORT_DEVICES", f.ReportDevices},
	} {
		if flag.given && os.Getenv(flag.variable) == "" {
			return fmt.Errorf(
				"%s: the job runs on this node alone, where no message uses a network device: name nodes by "+
					"--hosts or --hostfile", flag.name)
		}
	}
	return nil
}

// hosts returns the nodes, none if the job runs here: a node that is this one alone needs
// no agent.
func (f *runFlags) hosts() (hosts []launcher.Host, err error) {
	if hosts, f.nodes.Slurm, err = f.named(); err != nil {
		return nil, err
	}
	if len(hosts) == 1 && f.Rsh == "" && launcher.IsHere(hosts[0].Name) {
		if f.NP == notGiven && hosts[0].Slots > 0 {
			f.NP = hosts[0].Slots
		}
		hosts = nil
	}
	return hosts, err
}

// runNodes runs a job on several nodes.
func (f *runFlags) runNodes(ctx context.Context, j launcher.Job) error {
	if f.DryRun && f.PMI {
		return usageError{errors.New(
			"--pmi with --dry-run: the PMI launcher has chosen the nodes and started them; leave one of them out")}
	}
	if f.DryRun {
		return f.dryRunNodes(ctx, j)
	}
	if f.Trace != "" && !f.PMI { // then another process may lead, on another node
		if err := traceable(f.Trace); err != nil {
			return usageError{fmt.Errorf("--trace: %w", err)}
		}
	}
	signals, stop := launcher.ForwardedSignals()
	defer stop()
	j.Signals = signals
	var stats statistics
	j.Finished = stats.collect
	run := launcher.RunNodes
	if f.PMI {
		run = launcher.RunPMI
	}
	seen := f.instrument(&j)
	result, err := run(ctx, j, f.nodes)
	seen.end()
	if result == nil || err != nil { // it could not run, or another process leads
		return err
	}
	err = errors.Join(seen.print(os.Stderr), f.printStats(&stats, result.Nodes))
	if result.Code != 0 {
		return exitStatus(result.Code)
	}
	return err
}
