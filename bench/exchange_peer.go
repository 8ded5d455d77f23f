package bench

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/launcher"
)

// runPeer runs the exchange with Open MPI on the same nodes and devices.
func (cfg *ExchangeConfig) runPeer(ctx context.Context, args []string) ([]byte, error) {
	p := cfg.Peer.peer
	program, err := p.program(ctx, args[0])
	if err != nil {
		return nil, err
	}
	argv := slices.Concat(cfg.Lead, []string{p.mpirun}, cfg.openMPI(), []string{program}, args[1:])
	return p.execute(ctx, argv[0], argv[1:]...)
}

// openMPI are the flags of mpirun: TCP over the devices, on the nodes.
func (cfg *ExchangeConfig) openMPI() []string {
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
	if n.Devices != nil {
		list := strings.Join(n.Devices, ",")
		flags = append(flags, "--mca", "btl_tcp_if_include", list, "--mca", "oob_tcp_if_include", n.Devices[0])
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
