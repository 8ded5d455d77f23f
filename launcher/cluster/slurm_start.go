package cluster

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/wire"
)

// In a Slurm allocation one srun starts the agents of all nodes, and they connect to the leader
// (join.go). An srun for each node costs 0.1 s of CPU for each, all on the leader's node: 6.3 s
// for 64 nodes on 2 CPUs, where one srun takes 1.3 s.

// invitation is the text on the agents' standard input: srun hands it to all.
type invitation struct {
	Numbers map[string]int // of nodes, by Slurm's names
	At      []netip.AddrPort
	Secret  []byte
}

// startStep starts srun. The agents are told all they need by their standard input.
func (l *leader) startStep(self string) error {
	i := invitation{Numbers: map[string]int{}, Secret: make([]byte, wire.SecretSize)}
	rand.Read(i.Secret) // never fails
	l.nodes.joined = map[int]*joined{}
	if err := l.checkAllocation(os.Getenv("SLURM_JOB_NODELIST")); err != nil {
		return err
	}
	var names []string
	for _, a := range l.agents {
		i.Numbers[a.name] = a.number
		l.nodes.joined[a.number] = newJoined()
		names = append(names, a.name)
	}
	d, err := openDoor(i.Secret, l.nodes.joined)
	if err != nil {
		return err
	}
	i.At = leaderAddresses(netip.Prefix{}, d.port)
	text, err := json.Marshal(i)
	if err != nil {
		d.close()
		return err
	}
	argv := stepCommand(names, self)
	l.logf("%s", strings.Join(argv, " "))
	s := &step{door: d, command: exec.Command(argv[0], argv[1:]...), ended: make(chan struct{})}
	s.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.command.Stdin, s.command.Stdout, s.command.Stderr = bytes.NewReader(text), &s.said, &s.said
	s.command.WaitDelay = time.Second
	if err := s.command.Start(); err != nil {
		d.close()
		return err
	}
	go d.serve()
	l.step = s
	for _, a := range l.agents {
		conn := l.nodes.joined[a.number]
		a.begin(conn, conn)
	}
	go l.watchStep()
	return nil
}

// checkAllocation returns an error if a node is none of Slurm's list: srun would blame any.
func (l *leader) checkAllocation(list string) error {
	names, err := expandNodes(list)
	if err != nil || names == nil {
		return err
	}
	for _, a := range l.agents {
		if !slices.Contains(names, a.name) {
			return &NodeError{a.name, fmt.Errorf("it is not in the Slurm allocation (%s): leave it out, or write its "+
				"name as Slurm does", list), fate.CodeError}
		}
	}
	return nil
}

// stepCommand starts the agents of nodes.
func stepCommand(names []string, self string) []string {
	nodes := fmt.Sprint(len(names))
	return []string{
		"srun", "--nodes=" + nodes, "--ntasks=" + nodes, "--ntasks-per-node=1",
		"--nodelist=" + strings.Join(names, ","),
		"--overlap", "--mpi=none", "--cpu-bind=none", "--quiet", self, "node", "join",
	}
}

// watchStep loses the agents left when srun has ended. Their earlier notes come first.
func (l *leader) watchStep() {
	_ = l.step.command.Wait() // why says how
	close(l.step.ended)
	late, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, a := range l.agents {
		select {
		case <-a.waited:
		case <-late.Done():
		case <-l.done:
			return
		}
	}
	l.post(func() {
		for _, a := range l.agents {
			a.lose(a.why(nil))
		}
	})
}

// end ends srun, which had until late.
func (s *step) end(late <-chan time.Time) {
	s.door.close()
	select {
	case <-s.ended:
		return
	case <-late:
		sys.Kill(-s.command.Process.Pid, syscall.SIGKILL)
	}
	<-s.ended
}

// JoinMain is NodeMain for an agent that was started with others, by one srun.
func JoinMain(instruments map[string]Instrument) int { return agentCode(join(instruments)) }

func join(instruments map[string]Instrument) error {
	patience := time.AfterFunc(startTime, func() { os.Exit(fate.CodeError) })
	var i invitation
	err := json.NewDecoder(io.LimitReader(os.Stdin, host.MaxMessage)).Decode(&i)
	patience.Stop()
	if err != nil {
		return fmt.Errorf("launcher: it is started by pvasrun in a Slurm allocation only: %w", err)
	}
	number, ok := i.Numbers[os.Getenv("SLURMD_NODENAME")]
	if !ok {
		return errors.New("launcher: Slurm has started it on a node that is none of the job")
	}
	conn, below, err := joinLeader(i.At, i.Secret, number)
	if err != nil {
		return err
	}
	defer conn.Close()
	return runAgent(conn, conn, below, instruments)
}
