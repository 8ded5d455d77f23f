package run

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/settings"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/cluster"
)

// mapping is the way in which ranks are dealt to nodes, and to the domains of a node.
type mapping struct {
	byNode bool
	by     string // see launcher.Binding
	cpus   int    // cores of a rank, as Open MPI has it (socket:PE=4); 0: not said
	each   int    // ranks of a domain, or of a node, before the next one (ppr:2:socket); 0: not said
	single bool   // no more ranks than CPUs, or than slots of nodes
}

// Items are the ways.
func (mapping) Items() []string { return []string{"slot", "node", "core", "l3", "numa", "socket"} }

// UnmarshalFlag parses a flag's value. It also takes the names that users of Open MPI write. Behind a colon they say
// how many cores a rank has, and whether ranks may outnumber CPUs.
func (m *mapping) UnmarshalFlag(text string) error {
	way, rest, more := strings.Cut(text, ":")
	*m = mapping{byNode: way == "node"}
	if way == "ppr" {
		var number string
		number, rest, _ = strings.Cut(rest, ":")
		way, rest, more = strings.Cut(rest, ":")
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > job.MaxRanks || way == "slot" {
			return fmt.Errorf("%q: write for example ppr:2:node or ppr:2:socket, for two ranks on each", text)
		}
		m.each = n
	}
	switch {
	case way == "slot", way == "node", way == "":
	case way == "rankfile":
		return fmt.Errorf("%q: write --rankfile FILE", text)
	case strings.HasPrefix(way, "pe-list="):
		return fmt.Errorf("%q: write --bind LIST, with a CPU or a range for each rank", text)
	default: // the domains that ranks are bound to are those that they may be dealt to
		b, err := launcher.ParseBinding(way)
		if err != nil || b.Sets != nil || b.To == "" || b.To == "auto" {
			return fmt.Errorf("%q: write slot, node, core, l3, numa or socket", text)
		}
		m.by = b.To
	}
	for more {
		var word string
		word, rest, more = strings.Cut(rest, ":")
		name, value, _ := strings.Cut(strings.ToLower(word), "=")
		n, err := strconv.Atoi(value)
		switch {
		case (name == "oversubscribe" || name == "corecpus" || name == "hwtcpus") && value == "":
		case name == "nooversubscribe" && value == "":
			m.single = true
		case name == "pe" && err == nil && n >= 1 && n <= mostCPUs:
			m.cpus = n
		default:
			return fmt.Errorf("%q: behind the colon may stand PE=N, the number of cores of a rank, OVERSUBSCRIBE and "+
				"NOOVERSUBSCRIBE", text)
		}
	}
	return nil
}

// nodeFlags say on which nodes a job runs, and how.
type nodeFlags struct {
	settings.WhereFlags
	MapBy         mapping   `long:"map-by" env:"PVASRUN_MAP_BY" value-name:"slot|node|core|l3|numa|socket" default:"slot" description:"deal ranks one at a time to each node in turn (node), or fill one node after another, and within a node one core after another (slot, core) or each L3 domain, NUMA node or socket in turn; ppr:2:socket deals two to each"`
	PerNode       uint      `long:"per-node" least:"1" most:"65536; a job has no more ranks" env:"PVASRUN_PER_NODE" value-name:"N" default-mask:"as the hosts say" description:"ranks of each node; without -n the job has so many on all"`
	Rankfile      string    `long:"rankfile" env:"PVASRUN_RANKFILE" value-name:"FILE" description:"a file with the node and cores of each rank, one a line: rank 0=a slot=0:1-2 (socket 0, cores 1 and 2)"`
	Network       string    `long:"network" env:"PVASRUN_NETWORK" value-name:"PREFIX" default-mask:"one that all nodes are in" description:"network for messages between nodes, such as 10.1.0.0/16"`
	Devices       string    `long:"devices" env:"PVASRUN_DEVICES" value-name:"LIST" default-mask:"one in each network that all nodes are in" description:"network devices for messages between nodes, by name or network: eth0,eth1 or 10.1.0.0/16,10.2.0.0/16"`
	Exchange      string    `long:"exchange" env:"PVASRUN_EXCHANGE" choice:"auto" choice:"plain" choice:"wrap" choice:"steps" choice:"stripe" default:"auto" description:"how messages are divided among the devices: see docs/exchange.md"`
	ReportDevices bool      `long:"report-devices" env:"PVASRUN_REPORT_DEVICES" description:"say at the end what each node's network devices have done"`
	NodeTimeout   cli.Lapse `long:"node-timeout" env:"PVASRUN_NODE_TIMEOUT" value-name:"DUR" default:"5s" description:"a node that is silent for so long is lost, and ends the job"`
	PeerTimeout   cli.Lapse `long:"peer-timeout" env:"PVASRUN_PEER_TIMEOUT" value-name:"DUR" default:"60s" description:"a rank of another node that leaves messages unanswered for so long is lost: calls that need it return an error"`
	Encrypt       bool      `long:"encrypt" env:"PVASRUN_ENCRYPT" description:"encrypt the messages between nodes"`
	PMI           bool      `long:"pmi" env:"PVASRUN_PMI" description:"a PMI launcher (srun --mpi=pmi2, mpiexec.hydra) has started pvasrun, as one process for each node or each rank; -n is the number of ranks of one process"`
	Preload       bool      `long:"preload" env:"PVASRUN_PRELOAD" description:"send the programs to the nodes, which need not have them"`

	nodes cluster.Nodes // without Hosts: the job runs here
	tasks int           // of a Slurm allocation that names the nodes
	named cluster.Host  // this node alone, as a flag names it
}
