package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// A node may be cut off before its agent speaks. A login may take long, so silence proves
// nothing then. But the kernel of a node that is there always answers on the TCP connection
// of the command that starts the agent (ssh, srun). The leader asks its own kernel when the
// last answer has come. Where it may not ask, the agent has Nodes.StartTime.
//
// From its answer to the greeting on the signs of life of the link serve (link.beat). Where none come the kernel is
// asked again, by kernelOf: a process that gets no CPU sends none, and its kernel answers all the same.

// reachEvery is how often the leader looks, and how often the kernels are made to talk.
const reachEvery = time.Second

// watchStart loses agents whose node has not answered for the time-out, until all have spoken.
// It runs on a goroutine of its own. Time is counted in looks, as beat counts it.
func (l *leader) watchStart() {
	tick := time.NewTicker(reachEvery)
	defer tick.Stop()
	missed := make([]int, len(l.agents))
	most := max(2, int(l.nodes.Timeout/reachEvery)-1)
	for waiting := true; waiting; {
		select {
		case <-l.done:
			return
		case <-tick.C:
		}
		groups := processGroups()
		waiting = false
		for i, a := range l.agents {
			select {
			case <-a.spoken:
				continue
			default:
			}
			command := a.command
			if l.step != nil {
				command = l.step.command
			}
			if command == nil {
				continue // it connects by itself
			}
			waiting = true
			silent, known := unanswered(groups[command.Process.Pid])
			switch {
			case !known:
			case silent == nil:
				missed[i] = 0
			default:
				missed[i]++
			}
			if silent != nil && missed[i] == most && l.blames(a, silent) {
				who := "it"
				if silent.Peer.IsValid() {
					who = silent.Peer.String()
				}
				l.post(func() { a.lose(fmt.Errorf("%s does not answer in time (%v)", who, l.nodes.Timeout)) })
			}
		}
	}
}

// kernelOf returns what tells whether the kernel of the other side of a link answers, by the TCP connection below. On
// the same machine it does. What is not known does not answer.
func kernelOf(here bool, below sys.Stream, timeout time.Duration) func() bool {
	return func() bool {
		if here {
			return true
		}
		silent, known := below.Unanswered()
		return known && silent < min(timeout/2, 2*reachEvery)
	}
}

// blames tells whether it is the node of a that does not answer, and not another one that the
// same command starts. If nobody knows whose address it is, then all are to blame.
func (l *leader) blames(a *remote, silent *sys.Connection) bool {
	if l.step == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), reachEvery)
	defer cancel()
	line, _ := exec.CommandContext(ctx, "getent", "hosts", silent.Peer.Addr().String()).Output()
	names := strings.Fields(string(line))
	return !slices.ContainsFunc(l.agents, func(b *remote) bool { return slices.Contains(names, b.name) }) ||
		slices.Contains(names, a.name)
}

// unanswered returns a TCP connection of processes that gets no answer, nil if all do. known is
// false if there is none.
func unanswered(pids []int) (silent *sys.Connection, known bool) {
	for _, pid := range pids {
		names, _ := filepath.Glob(processes.File(pid, "fd/[0-9]*"))
		for _, name := range names {
			to, _ := os.Readlink(name)
			fd, err := strconv.Atoi(filepath.Base(name))
			if err != nil || !strings.HasPrefix(to, "socket:") {
				continue
			}
			c, ok := sys.ConnectionOf(pid, fd)
			known = known || ok
			if ok && (!c.Open || c.Silent > 2*reachEvery) {
				return &c, true
			}
		}
	}
	return nil, known
}

// processGroups returns the processes of each process group.
func processGroups() map[int][]int {
	groups := map[int][]int{}
	for _, p := range processes.All() {
		groups[p.Group] = append(groups[p.Group], p.PID)
	}
	return groups
}
