package rig

import (
	"bufio"
	"bytes"
	"context"
	_ "embed" // the scripts
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/netns"
	"github.com/gopvas/gopvas/internal/node/processes"
)

//go:embed rack.sh
var rackScript string

//go:embed node.sh
var nodeScript string

// A Rig is a number of nodes. It ends with its test.
type Rig struct {
	t     testing.TB
	rack  *space
	nodes []*space
}

// space is the init of a rack or of a node, and the process that has started it.
type space struct {
	pid     int // of the init
	started *exec.Cmd
	hold    io.Closer // its end is the end of a rack
}

// Up makes a rig of n nodes. It skips the test if this process may not make namespaces, or if
// a tool is missing.
func Up(t testing.TB, n int, tools ...string) *Rig {
	t.Helper()
	probe(t, append([]string{"unshare", "nsenter", "setpriv", "ip", "bash"}, tools...))
	r := &Rig{t: t}
	t.Cleanup(r.down)
	r.rack = r.open(rackScript, "unshare", "--net", "--mount", "--ipc", "--pid", "--fork", "--kill-child",
		"--propagation", "private")
	var hosts strings.Builder
	hosts.WriteString("127.0.0.1 localhost\n")
	for i := range n {
		fmt.Fprintf(&hosts, "%v n%d\n", Address(i), i)
	}
	r.write("hosts", hosts.String())
	r.write("ssh_config", sshConfig)
	r.nodes = make([]*space, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			r.nodes[i] = r.open(nodeScript, "nsenter", "-t", strconv.Itoa(r.rack.pid), "-m", "-p", "--",
				"unshare", "--mount", "--uts", "--ipc", "--net", "--pid", "--fork", "--propagation", "private", "--",
				"bash", "-c", nodeScript, "node", strconv.Itoa(i))
		})
	}
	wg.Wait()
	if !t.Failed() {
		r.connect()
	}
	if t.Failed() {
		t.FailNow()
	}
	return r
}

// probe skips the test where there can be no rig.
func probe(t testing.TB, tools []string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("a rig of nodes needs root")
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("a rig of nodes needs %s: .ci/run says which packages have it", tool)
		}
	}
	out, err := exec.Command("unshare", "--net", "--mount", "--pid", "--fork", "true").CombinedOutput()
	if err != nil {
		t.Skipf("no namespaces can be made here: %v: %s", err, out)
	}
	out, err = exec.Command("unshare", "--net", "ip", "link", "add", "name", "sw", "type", "bridge").CombinedOutput()
	if err != nil {
		t.Skipf("no network can be made here: %v: %s", err, out)
	}
}

// open starts an init, which prints its number. A rack runs a script that argv does not have.
func (r *Rig) open(script string, argv ...string) *space {
	s := &space{}
	rack := r.rack == nil
	if rack {
		argv = append(argv, "--", "bash", "-c", script)
	}
	s.started = exec.Command(argv[0], argv[1:]...)
	var said bytes.Buffer
	s.started.Stderr = &said
	out, err := s.started.StdoutPipe()
	if err == nil && rack {
		s.hold, err = s.started.StdinPipe()
	}
	if err == nil {
		err = s.started.Start()
	}
	if err != nil {
		r.t.Errorf("rig: start %s: %v", argv[0], err)
		return nil
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if s.pid, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		_ = s.started.Process.Kill()
		_ = s.started.Wait()
		r.t.Errorf("rig: the init has not started: %s", &said)
		return nil
	}
	return s
}

// down ends the rack, which ends all.
func (r *Rig) down() {
	if r.rack == nil {
		return
	}
	_ = r.rack.hold.Close()
	_ = r.rack.started.Wait()
	for _, n := range r.nodes {
		if n != nil {
			_ = n.started.Wait() // killed with the rack
		}
	}
}

// connect makes the network of the nodes.
func (r *Rig) connect() {
	var ports []netns.Port
	for i, n := range r.nodes {
		ports = append(ports,
			netns.Port{Name: port(i), Pid: n.pid, Device: "eth0", Address: netip.PrefixFrom(Address(i), 16)})
	}
	if err := netns.Connect(context.Background(), r.rack.pid, "sw", ports...); err != nil {
		r.t.Errorf("rig: %v", err)
	}
}

// AddDevice gives each node one more device, eth1, on a switch of its own. SetDevice takes its link down or up.
func (r *Rig) AddDevice() {
	r.t.Helper()
	var ports []netns.Port
	for i, n := range r.nodes {
		at := Address(i).As4()
		at[1]++
		ports = append(ports,
			netns.Port{Name: "q" + strconv.Itoa(i), Pid: n.pid, Device: "eth1",
				Address: netip.PrefixFrom(netip.AddrFrom4(at), 16)})
	}
	require.NoError(r.t, netns.Connect(context.Background(), r.rack.pid, "sw1", ports...))
}

// SetDevice is described with AddDevice. Packets under way on the link are lost.
func (r *Rig) SetDevice(node int, state string) error {
	return netns.IP(context.Background(), r.rack.pid, "link set q"+strconv.Itoa(node)+" "+state)
}

// Files returns what lies in /dev/shm of a node, which is its own.
func (r *Rig) Files(node int) (list []string) {
	found, err := os.ReadDir(processes.File(r.nodes[node].pid, "root/dev/shm"))
	require.NoError(r.t, err)
	for _, f := range found {
		list = append(list, f.Name())
	}
	return list
}

// port is the name of a node's port at the switch.
func port(node int) string { return "p" + strconv.Itoa(node) }

// setPort takes the port of a node down or up.
func (r *Rig) setPort(node int, state string) {
	if err := netns.IP(context.Background(), r.rack.pid, "link set "+port(node)+" "+state); err != nil {
		r.t.Errorf("rig: %v", err)
	}
}

// Address returns the address of a node.
func Address(node int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, 77, byte(node / 250), byte(node%250 + 1)})
}

// write makes a file in the rack's own directory, which its nodes see as /mnt.
func (r *Rig) write(name, text string) {
	require.NoError(r.t, os.WriteFile(r.file(name), []byte(text), 0o600))
}

func (r *Rig) file(name string) string {
	return filepath.Join("/proc", strconv.Itoa(r.rack.pid), "root/mnt", name)
}

// Size returns the number of nodes.
func (r *Rig) Size() int { return len(r.nodes) }

// Command returns a command that runs on a node, in this process's directory and environment.
// When it is killed, so is what it has started; daemons of that are not.
func (r *Rig) Command(node int, argv ...string) *exec.Cmd {
	dir, err := os.Getwd()
	require.NoError(r.t, err)
	enter := []string{"-t", strconv.Itoa(r.nodes[node].pid), "-m", "-u", "-i", "-n", "-p", "--wdns=" + dir, "--",
		"setpriv", "--pdeathsig", "KILL"}
	cmd := exec.Command("nsenter", append(enter, argv...)...)
	cmd.Env = append(os.Environ(), slurmEnv...)
	return cmd
}

// Run runs a command on a node, which must succeed, and returns what it says.
func (r *Rig) Run(node int, argv ...string) string {
	r.t.Helper()
	out, err := r.Command(node, argv...).CombinedOutput()
	require.NoError(r.t, err, "on n%d: %v: %s", node, argv, out)
	return string(out)
}

// Cut takes a node off the network: nothing is closed, packets vanish. Mend undoes it.
func (r *Rig) Cut(node int) { r.setPort(node, "down") }

// Mend is described with Cut.
func (r *Rig) Mend(node int) { r.setPort(node, "up") }

// hostName is what space hosts call themselves, see package launcher.
const hostName = "pvasrun-host"

// A Process runs on a node.
type Process struct {
	Pid  int // on this machine
	Args []string
}

// Processes returns what runs on a node, but for its init.
func (r *Rig) Processes(node int) (list []Process) {
	own, err := os.Readlink(processes.File(r.nodes[node].pid, "ns/pid"))
	require.NoError(r.t, err)
	for _, p := range processes.All() {
		args := processes.Args(p.PID)
		if p.Name == hostName {
			args = []string{hostName} // in one address space it shows those of the ranks
		}
		space, err := os.Readlink(processes.File(p.PID, "ns/pid"))
		if err != nil || space != own || p.PID == r.nodes[node].pid || len(args) == 0 ||
			strings.Join(args, " ") == "sleep infinity" {
			continue
		}
		list = append(list, Process{p.PID, args})
	}
	return list
}

// Outside returns the number on this machine of a process that has a number on a node, 0 if
// there is none.
func (r *Rig) Outside(node int, pid string) int {
	for _, p := range r.Processes(node) {
		status, _ := os.ReadFile(processes.File(p.Pid, "status"))
		for line := range strings.Lines(string(status)) {
			if words := strings.Fields(line); len(words) > 1 && words[0] == "NSpid:" && words[len(words)-1] == pid {
				return p.Pid
			}
		}
	}
	return 0
}
