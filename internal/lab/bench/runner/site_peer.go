package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/launcher/cluster"
)

// RunPeer runs so many ranks of a peer's program with its arguments, as many on each node as of ours.
func (s *Site) RunPeer(ctx context.Context, c Contestant, ranks int, args []string) ([]byte, error) {
	p := c.peer
	program, err := c.program(ctx, args[0])
	if err != nil {
		return nil, err
	}
	hosts, err := s.hostList(ranks)
	if err != nil {
		return nil, err
	}
	agent := ""
	if s.Nodes.Shell != nil {
		if agent, err = p.agent(s.Nodes.Shell); err != nil {
			return nil, err
		}
	}
	command := append([]string{program}, args[1:]...)
	flags, devices := s.openMPI, s.Nodes.Devices
	switch p.name {
	case "mpich":
		flags = s.mpich
	case MPTCP:
		devices, command = devices[:min(len(devices), 1)], slices.Insert(command, 0, mptcpize, "run")
	}
	argv := slices.Concat(s.Lead, []string{p.mpirun, "-n", strconv.Itoa(ranks)},
		flags(c, hosts, devices, agent), command)
	return p.execute(ctx, argv[0], argv[1:]...)
}

// agent writes a script that starts a command on a node, called with HOST COMMAND. It returns its path.
func (p *peer) agent(shell []string) (string, error) {
	script := "#!/bin/sh\nexec"
	for _, word := range shell {
		script += " '" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	path := filepath.Join(p.dir, "shell")
	if err := os.WriteFile(path, []byte(script+" \"$@\"\n"), 0o700); err != nil {
		return "", fmt.Errorf("bench: write shell: %w", err)
	}
	return path, nil
}

// openMPI are the flags of its mpirun: TCP between nodes, over the devices. Where ranks share CPUs they yield.
func (s *Site) openMPI(c Contestant, hosts string, devices []string, agent string) []string {
	flags := []string{"--map-by", "slot", "--bind-to", Choose(c.Pinned, "core:overload-allowed", "none"), "--mca",
		"btl", "vader,tcp,self", "--mca", "pml", "ob1"}
	if c.SingleCopy != "" {
		flags = append(flags, "--mca", "btl_vader_single_copy_mechanism", c.SingleCopy)
	}
	if s.Oversubscribed {
		flags = append(flags, "--mca", "mpi_yield_when_idle", "1")
	}
	if !s.Nodes.Slurm {
		flags = append(flags, "--host", hosts)
	}
	if devices != nil {
		flags = append(flags, "--mca", "btl_tcp_if_include", strings.Join(devices, ","), "--mca",
			"oob_tcp_if_include", devices[0])
	}
	if agent != "" {
		flags = append(flags, "--mca", "plm_rsh_agent", agent)
	}
	return flags
}

// mpich are the flags of its mpiexec: TCP between nodes.
func (s *Site) mpich(c Contestant, hosts string, devices []string, agent string) []string {
	flags := []string{"-bind-to", Choose(c.Pinned, "core", "none"), "-genv", "UCX_TLS", "tcp,sm,self"}
	if !s.Nodes.Slurm {
		flags = append(flags, "-hosts", hosts)
	}
	if agent != "" {
		flags = append(flags, "-launcher", "rsh", "-launcher-exec", agent)
	}
	if devices != nil {
		flags = append(flags, "-iface", devices[0], "-genv", "UCX_NET_DEVICES", strings.Join(devices, ","))
	}
	return flags
}

// hostList are the hosts as peers have them, with as many slots as they have ranks of ours.
func (s *Site) hostList(ranks int) (string, error) {
	parts, err := cluster.Deal(s.Nodes.Hosts, ranks)
	var list []string
	for i, slots := range parts {
		if slots > 0 {
			list = append(list, fmt.Sprintf("%s:%d", s.Nodes.Hosts[i].Name, slots))
		}
	}
	return strings.Join(list, ","), err
}
