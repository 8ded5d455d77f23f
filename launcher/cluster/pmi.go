package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/node/pmi"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/wire"
)

// A job under a PMI launcher. The launcher starts some pvasruns on each node, which meet in its
// key-value space:
//
//	all:      put their member; fence
//	process 0: gets that of all, and puts a role for each; fence
//	all:      get their roles
//
// Process 0 leads. On each other node the first process is the agent, and connects to the
// leader. All others wait for the pvasrun of their node to end: a launcher may end a job when
// one of its processes has ended.

// member describes a process to the others.
type member struct {
	Name  string // of the host
	Space string // a mark of the node: machine, processes and network
	Pid   int
	Ranks int
	CPUs  []byte // a bit each
}

// role is the leader's message to a process.
type role struct {
	Wait   int // for the end of this process; 0: this is the node's pvasrun
	Number int // of the node
	CPUs   []byte
	At     []netip.AddrPort // where the leader is
	Secret []byte
}

// RunPMI takes part in a job that a PMI launcher has started as several processes of this
// program. Each stands for the ranks of its j; the programs are those of process 0, one for
// all ranks. Ranks are numbered node by node, in the order of the processes. In process 0 it is
// like Run, of which n has the settings. Elsewhere it returns at the end of the node's part,
// without a result.
func RunPMI(ctx context.Context, j launcher.Job, n Nodes) (*launcher.Result, error) {
	c, err := pmi.Open(os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("launcher: %w", err)
	}
	defer c.Close()
	for _, kv := range os.Environ() { // ranks are not the launcher's processes
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "PMI") {
			os.Unsetenv(name)
		}
	}
	if err := putJSON(c, memberKey(c.Rank), thisMember(j.Total())); err != nil {
		return nil, err
	}
	if err := c.Fence(); err != nil {
		return nil, err
	}
	if c.Rank == 0 {
		return leadMembers(ctx, c, j, n)
	}
	if err := c.Fence(); err != nil {
		return nil, err
	}
	var r role
	if err := getJSON(c, roleKey(c.Rank), &r); err != nil {
		return nil, err
	}
	return nil, r.play(n.Attach)
}

func memberKey(rank int) string { return fmt.Sprintf("pvas-member-%d", rank) }
func roleKey(rank int) string   { return fmt.Sprintf("pvas-role-%d", rank) }

func putJSON(c *pmi.Client, key string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return c.Put(key, b)
}

func getJSON(c *pmi.Client, key string, value any) error {
	b, err := c.Get(key)
	if err == nil {
		err = json.Unmarshal(b, value)
	}
	return err
}

func thisMember(ranks int) *member {
	m := &member{Pid: os.Getpid(), Ranks: ranks}
	m.Name, _ = os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	processes, _ := os.Readlink("/proc/self/ns/pid")
	network, _ := os.Readlink("/proc/self/ns/net")
	m.Space = strings.Join([]string{strings.TrimSpace(string(boot)), processes, network}, " ")
	cpus, _ := sys.Affinity() // none: the node's pvasrun says why
	for _, cpu := range cpus {
		for len(m.CPUs) <= cpu/8 {
			m.CPUs = append(m.CPUs, 0)
		}
		m.CPUs[cpu/8] |= 1 << (cpu % 8)
	}
	return m
}

// leadMembers gives all processes their roles, and runs the job.
func leadMembers(ctx context.Context, c *pmi.Client, j launcher.Job, n Nodes) (*launcher.Result, error) {
	d, cpus, err := assign(c, &n)
	if err2 := c.Fence(); err == nil { // the others wait for it in any case
		err = err2
	}
	if err != nil {
		return nil, err
	}
	defer d.close()
	go d.serve()
	spread(cpus)
	j.Apps = slices.Clone(j.Apps[:1])
	j.Apps[0].N = Slots(n.Hosts)
	if len(n.Hosts) == 1 && n.Instruments == nil {
		return launcher.Run(ctx, j)
	}
	return Run(ctx, j, n)
}

// assign finds the nodes, and puts the roles. It returns the CPUs of the first node.
func assign(c *pmi.Client, n *Nodes) (*door, []byte, error) {
	members := make([]member, c.Size)
	for rank := range members {
		if err := getJSON(c, memberKey(rank), &members[rank]); err != nil {
			return nil, nil, err
		}
	}
	roles := castMembers(members, n)
	secret := make([]byte, wire.SecretSize)
	rand.Read(secret) // never fails
	d, err := openDoor(secret, n.joined)
	if err != nil {
		return nil, nil, err
	}
	at := leaderAddresses(n.Network, d.port)
	for rank := 1; rank < c.Size && err == nil; rank++ {
		if r := &roles[rank]; r.Wait == 0 {
			r.At, r.Secret = at, secret
		}
		err = putJSON(c, roleKey(rank), roles[rank])
	}
	if err != nil {
		d.close()
	}
	return d, roles[0].CPUs, err
}

// castMembers decides the role of each process, and completes n.
func castMembers(members []member, n *Nodes) []role {
	roles := make([]role, len(members))
	first := map[string]int{} // process of a node
	n.Hosts, n.joined = nil, map[int]*joined{}
	for i, m := range members {
		f, known := first[m.Space]
		if !known {
			first[m.Space] = i
			roles[i] = role{Number: len(n.Hosts), CPUs: m.CPUs}
			if i > 0 {
				n.joined[len(n.Hosts)] = newJoined()
			}
			n.Hosts = append(n.Hosts, Host{m.Name, m.Ranks})
			continue
		}
		roles[i].Wait = members[f].Pid
		n.Hosts[roles[f].Number].Slots += m.Ranks
		roles[f].CPUs = union(roles[f].CPUs, m.CPUs)
	}
	return roles
}

func union(a, b []byte) []byte {
	if len(a) < len(b) {
		a, b = b, a
	}
	a = slices.Clone(a)
	for i := range b {
		a[i] |= b[i]
	}
	return a
}

// leaderAddresses are where agents may reach this process: all but loopbacks, if there are others.
func leaderAddresses(network netip.Prefix, port uint16) (at []netip.AddrPort) {
	const most = 8 // a value is short
	all, _, _ := sys.Addresses()
	for _, loopback := range []bool{false, true} {
		for _, p := range all {
			fits := !network.IsValid() || network.Contains(p.Addr())
			if p.Addr().IsLoopback() == loopback && fits && len(at) < most {
				at = append(at, netip.AddrPortFrom(p.Addr(), port))
			}
		}
		if at != nil {
			break
		}
	}
	return at
}

// spread has this process use the CPUs of all processes of its node: a launcher may have bound
// each to its own.
func spread(mask []byte) {
	var cpus []int
	for i, b := range mask {
		for bit := range 8 {
			if b>>bit&1 != 0 {
				cpus = append(cpus, 8*i+bit)
			}
		}
	}
	_ = sys.SetProcessAffinity(cpus) // an error: ranks share the CPUs of this process
}

// play is the part of a process other than the leader.
func (r *role) play(instruments map[string]Instrument) error {
	if r.Wait != 0 {
		fate.IgnoreEnds() // a signal is for the job: others handle it
		return sys.AwaitExit(r.Wait)
	}
	spread(r.CPUs)
	conn, below, err := joinLeader(r.At, r.Secret, r.Number)
	if err != nil {
		return err
	}
	defer conn.Close()
	return runAgent(conn, conn, below, instruments)
}
