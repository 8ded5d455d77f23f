package bench

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/launcher"
)

// MPTCP is the peer of Exchange that is Open MPI with an MPTCP connection between two ranks, by the
// first device. The kernel divides what goes by it among the devices.
const MPTCP = "mptcp"

// mptcpize runs a program whose TCP connections are MPTCP's.
const mptcpize = "mptcpize"

// ExchangePeers are the names of the peers of Exchange.
func ExchangePeers() []string { return []string{"openmpi", MPTCP} }

// runPeer runs the exchange with a peer on the same nodes and devices.
func (cfg *ExchangeConfig) runPeer(ctx context.Context, p *peer, args []string) ([]byte, error) {
	program, err := p.program(ctx, args[0])
	if err != nil {
		return nil, err
	}
	devices, command := cfg.Nodes.Devices, []string{program}
	if p.name == MPTCP {
		devices, command = devices[:min(len(devices), 1)], []string{mptcpize, "run", program}
	}
	argv := slices.Concat(cfg.Lead, []string{p.mpirun}, cfg.openMPI(devices), command, args[1:])
	return p.execute(ctx, argv[0], argv[1:]...)
}

// openMPI are the flags of mpirun: TCP over the devices, on the nodes.
func (cfg *ExchangeConfig) openMPI(devices []string) []string {
	n := &cfg.Nodes
	flags := []string{
		"-n", strconv.Itoa(cfg.Ranks), "--map-by", "slot", "--bind-to", "none",
		"--mca", "btl", "tcp,self", "--mca", "pml", "ob1", "--mca", "mpi_yield_when_idle", "1",
	}
	if !n.Slurm {
		flags = append(flags, "--host", hostList(n.Hosts, cfg.Ranks))
	}
	if n.Shell != nil {
		flags = append(flags, "--mca", "plm_rsh_agent", strings.Join(n.Shell, " "))
	}
	if devices != nil {
		flags = append(flags, "--mca", "btl_tcp_if_include", strings.Join(devices, ","), "--mca", "oob_tcp_if_include", devices[0])
	}
	return flags
}

// hostList are hosts as Open MPI has them, with slots for so many ranks.
func hostList(hosts []launcher.Host, ranks int) string {
	var list []string
	for _, h := range hosts {
		slots := h.Slots
		if slots == 0 {
			slots = (ranks + len(hosts) - 1) / len(hosts)
		}
		list = append(list, fmt.Sprintf("%s:%d", h.Name, slots))
	}
	return strings.Join(list, ",")
}
