package run

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/cluster"
)

// findNodes finds out where the job runs, and how many ranks it has by default: as many as
// the nodes take, or one for each CPU.
func (f *Flags) findNodes() (err error) {
	if f.PMI {
		return f.findProcesses()
	}
	if variable, n, ok := job.OtherLauncher(os.Getenv); ok {
		fmt.Fprintf(os.Stderr, "pvasrun: another launcher has started %d pvasruns (%s=%d), and each runs a job of its "+
			"own: leave the launcher out, or have it start pvasrun --pmi (srun --mpi=pmi2)\n", n, variable, n)
	}
	if f.Rankfile != "" {
		if err := f.takeRankfile(); err != nil {
			return fmt.Errorf("--rankfile: %w", err)
		}
	}
	if f.nodes.Hosts, err = f.hosts(); err != nil {
		return err
	}
	if err := f.takeEach(); err != nil {
		return err
	}
	if f.NP == cli.NotGiven {
		f.NP = max(1, cpus()/max(1, f.cpusPerRank()))
		if f.nodes.Hosts != nil {
			f.NP = cluster.Slots(f.nodes.Hosts)
		}
	}
	if f.nodes.Hosts == nil {
		if err := f.checkHere(); err != nil {
			return err
		}
		return f.describeNodes() // nobody needs that here, but a value may be wrong
	}
	if f.nodes.Shell = f.Shell(); f.nodes.Shell != nil {
		f.nodes.Slurm = false
	}
	return f.describeNodes()
}

// takeEach takes a number of ranks of each node, or of each domain of a node.
func (f *Flags) takeEach() error {
	each, flag := int(f.PerNode), "--per-node"
	if f.MapBy.each > 0 && f.MapBy.by == "" {
		if each > 0 {
			return errors.New("--per-node and --map-by ppr: give one of them")
		}
		each, flag = f.MapBy.each, "--map-by ppr"
	}
	switch {
	case each > 0 && f.nodes.Hosts == nil:
		if f.NP > each {
			return fmt.Errorf("%s: the job has %d ranks and one node, which takes %d: name more nodes (--hosts, "+
				"--hostfile), or leave it out", flag, f.NP, each)
		}
		if f.NP == cli.NotGiven {
			f.NP = each
		}
	case each > 0:
		for i, h := range f.nodes.Hosts {
			if h.Slots > 0 && h.Slots < each {
				return fmt.Errorf("%s: node %s takes %d ranks, and not %d", flag, h.Name, h.Slots, each)
			}
			f.nodes.Hosts[i].Slots = each
		}
	case f.MapBy.each > 0 && f.nodes.Hosts == nil:
		domains, err := launcher.Domains(f.MapBy.by)
		if err != nil {
			return err
		}
		take := len(domains) * f.MapBy.each
		if f.NP > take {
			return fmt.Errorf("--map-by ppr: the job has %d ranks and this node takes %d, %d on each %s: write "+
				"a larger number, or --map-by %[4]s", f.NP, take, f.MapBy.each, f.MapBy.by)
		}
		if f.NP == cli.NotGiven {
			f.NP = take
		}
	case f.MapBy.each > 0 && f.NP == cli.NotGiven:
		return errors.New("--map-by ppr: say how many ranks there are: other nodes may have other domains")
	}
	return nil
}

// findProcesses leaves it to the processes of a PMI launcher to find the nodes.
func (f *Flags) findProcesses() error {
	if f.Hosts != "" || f.Hostfile != "" || f.Rsh != "" {
		return errors.New("--pmi with --hosts, --hostfile or --rsh: the PMI launcher chooses the nodes; leave them out")
	}
	if f.NP == cli.NotGiven {
		f.NP = 1
	}
	return f.describeNodes()
}

// describeNodes is what the flags say of nodes, wherever they are.
func (f *Flags) describeNodes() (err error) {
	if f.nodes.Timeout = time.Duration(f.NodeTimeout); f.nodes.Timeout < 100*time.Millisecond {
		return fmt.Errorf("--node-timeout %v: at least 100ms are needed", f.nodes.Timeout)
	}
	f.nodes.ByNode = f.MapBy.byNode
	f.nodes.StartTime = time.Duration(f.StartTimeout)
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
func (f *Flags) checkHere() error {
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

// tellHere tells of flags that do nothing in a job of so many ranks on this node alone.
func (f *Flags) tellHere(ranks int) {
	var idle []string
	if f.Network != "" && os.Getenv("PVASRUN_NETWORK") == "" {
		idle = append(idle, "--network")
	}
	if f.Encrypt && os.Getenv("PVASRUN_ENCRYPT") == "" {
		idle = append(idle, "--encrypt")
	}
	if idle != nil {
		fmt.Fprintf(os.Stderr, "pvasrun: without effect: %s: the job runs on this node alone, where messages go by "+
			"memory\n", strings.Join(idle, ", "))
	}
	if f.named.Slots > 0 && ranks > f.named.Slots {
		fmt.Fprintf(os.Stderr, "pvasrun: all %d ranks run here, though %s is said to take %d\n", ranks, f.named.Name,
			f.named.Slots)
	}
}

// hosts returns the nodes, none if the job runs here: a node that is this one alone needs
// no agent.
func (f *Flags) hosts() (hosts []cluster.Host, err error) {
	if hosts, f.nodes.Slurm, err = f.Named(); err != nil {
		return nil, err
	}
	if f.Hosts == "" && f.Hostfile == "" {
		f.tasks = cluster.Slots(hosts)
	}
	if len(hosts) == 1 && f.Rsh == "" && cluster.IsHere(hosts[0].Name) {
		if f.NP == cli.NotGiven && hosts[0].Slots > 0 {
			f.NP = hosts[0].Slots
		}
		if f.Hosts != "" || f.Hostfile != "" {
			f.named = hosts[0]
		}
		hosts = nil
	}
	return hosts, err
}

// cpusOfTask returns how many CPUs Slurm has for each of so many ranks. It is 0 if nobody has asked Slurm for a number,
// or if there are more ranks than tasks. A process of a step is one task.
func (f *Flags) cpusOfTask(ranks int, getenv func(string) string) int {
	tasks := f.tasks
	if cluster.InStep(getenv) {
		tasks = 1
	}
	each, err := strconv.Atoi(getenv("SLURM_CPUS_PER_TASK"))
	if err != nil || each < 1 || ranks > tasks {
		return 0
	}
	return each
}
