package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
	flags := cfg.openMPI(devices)
	if cfg.Nodes.Shell != nil {
		agent, err := p.agent(cfg.Nodes.Shell)
		if err != nil {
			return nil, err
		}
		flags = append(flags, "--mca", "plm_rsh_agent", agent)
	}
	argv := slices.Concat(cfg.Lead, []string{p.mpirun}, flags, command, args[1:])
	return p.execute(ctx, argv[0], argv[1:]...)
}

// agent returns what Open MPI calls before HOST COMMAND. It divides the text at each space: what is one word
// for us is in a script.
func (p *peer) agent(shell []string) (string, error) {
	script := "exec"
	for _, word := range shell {
		script += " '" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	path := filepath.Join(p.dir, "shell")
	if err := os.WriteFile(path, []byte(script+" \"$@\"\n"), 0o600); err != nil {
		return "", fmt.Errorf("bench: write shell: %w", err)
	}
	return "sh " + path, nil
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
