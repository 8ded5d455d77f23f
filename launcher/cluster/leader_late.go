package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// Worlds that ranks have added to a job on several nodes. A rank asks at the desk of its node, whose agent passes the
// request on. The leader keeps the names of ports, decides on which nodes the ranks of a world start, and orders the
// steps: see part.Late. It answers one request after the other.

// serveRequests answers requests, and lets the agents end when there is no rank left to make one.
func (l *leader) serveRequests() {
	if l.desk != nil && (l.over() || l.alive() == 0) {
		l.desk.Others.GiveUp()
	}
	if l.fate.Starting || l.over() {
		return
	}
	for len(l.requests) > 0 && l.spawning == nil && !l.asking {
		r := l.requests[0]
		l.requests = l.requests[1:]
		l.serve(r)
	}
	if l.spawning == nil && !l.asking && !l.dismissed && l.alive() == 0 {
		l.dismissed = true
		l.order(part.Order{Dismiss: true})
	}
}

func (l *leader) serve(r request) {
	turn, answer := l.desk.Take(r.Rank, r.Texts)
	switch _, err := job.Granted(answer); {
	case turn.Other != nil:
		l.answerLater(r, turn.Other.Wait, turn.Other.Answer)
	case turn.Spawn != nil:
		l.spawning = &spawning{request: r}
		if err := l.newWorld(turn.Spawn.Commands); err != nil {
			l.endSpawn(job.Refuse(err))
			return
		}
		l.orderStep(part.Find)
	case errors.Is(err, job.ErrName):
		l.lookElsewhere(r, answer)
	default:
		r.from.order(part.Order{Answer: answer})
	}
}

// newWorld decides how many ranks there are, and where.
func (l *leader) newWorld(commands []job.Command) error {
	s := l.spawning
	most := part.Most(l.job.Universe, l.room-l.mirror.Visitors())
	size, err := part.Settle(commands, most-l.size,
		func() error { return part.NoRoom(most, l.size, l.job.TraceSize > 0) })
	if err != nil {
		return err
	}
	like := l.apps[s.Rank]
	s.Late = &part.Late{World: job.World{Number: len(l.worlds), First: l.size, Size: size, Parent: s.Rank},
		Commands: commands, Env: like.Env, NoEnv: like.NoEnv, Unset: like.Unset, Nice: like.Nice}
	free := make([]int, len(l.agents))
	for i, a := range l.agents {
		free[i] = a.capacity() - a.alive
	}
	for _, c := range commands {
		nodes, err := l.nodesFor(c.Host, s.from.number)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Program, err)
		}
		s.Nodes = append(s.Nodes, dealLate(nodes, free, c.N, l.nodes.ByNode)...)
	}
	return nil
}

// capacity is how many ranks the node takes before others are better.
func (a *remote) capacity() int {
	if a.slots > 0 {
		return a.slots
	}
	return a.ready.CPUs
}

// nodesFor returns the nodes that a program lets its ranks start on, by the value of the info key host; "": all.
func (l *leader) nodesFor(list string, parent int) (nodes []int, err error) {
	if list == "" {
		for i := range l.agents {
			nodes = append(nodes, i)
		}
		return nodes, nil
	}
	hosts, err := ParseHosts(list)
	if err != nil {
		return nil, err
	}
	for _, h := range hosts {
		i := slices.IndexFunc(l.agents, func(a *remote) bool { return a.isCalled(h.Name) })
		if h.Name == "localhost" {
			i = parent
		}
		if i < 0 {
			var names []string
			for _, a := range l.agents {
				names = append(names, a.name)
			}
			return nil, fmt.Errorf("host %s is none of this job, which has %s", h.Name, strings.Join(names, ", "))
		}
		nodes = append(nodes, i)
	}
	return nodes, nil
}

// isCalled tells whether a host is the agent's.
func (a *remote) isCalled(host string) bool {
	_, behind, _ := strings.Cut(a.name, "@") // of a user
	short, _, _ := strings.Cut(a.ready.Hostname, ".")
	return slices.Contains([]string{a.name, behind, a.ready.Hostname, short}, host)
}

// dealLate deals n ranks to nodes: to the first with a free slot, or one rank to each of these in turn; where none is
// free one to each in turn. It counts free down, below zero as well.
func dealLate(nodes, free []int, n int, byNode bool) (of []int) {
	for turn := 0; len(of) < n; {
		at := turn % len(nodes)
		for i := range nodes {
			k := i
			if byNode {
				k = (turn + i) % len(nodes)
			}
			if free[nodes[k]] > 0 {
				at = k
				break
			}
		}
		turn = at + 1
		free[nodes[at]]--
		of = append(of, nodes[at])
	}
	return of
}

// orderStep orders a step of the start of a world.
func (l *leader) orderStep(step part.Step) {
	s := l.spawning
	nodes, never := s.Order(step, l.now().Live)
	if step == part.Know {
		l.addWorld()
	}
	late := *s.Late
	for _, node := range nodes {
		a := l.agents[node]
		if s.Counts() {
			_, ranks := late.Local(node)
			a.alive += ranks
		}
		a.order(part.Order{Late: &late})
	}
	for _, node := range never {
		l.neverBegan(l.agents[node])
	}
}

// neverBegan tells the others that the ranks of the world on a node have ended: it has no places for them.
func (l *leader) neverBegan(a *remote) {
	w := l.spawning.World
	for _, rank := range a.ranks {
		if w.Has(rank) {
			a.others(part.Order{News: part.News{Gone: []part.RankGone{{Rank: rank, State: job.StateFinal}}}})
			a.gone[rank] = true
			l.mirror.SetState(rank, job.StateFinal)
			l.mirror.MarkGone(rank)
			l.desk.Others.Ends(rank)
		}
	}
}

// addWorld makes places for the ranks of a world.
func (l *leader) addWorld() {
	late := l.spawning.Late
	w := late.World
	if _, err := l.mirror.AddWorld(w.Size, w.Parent, w.Number, late.Nodes...); err != nil {
		l.io.Say("%v", err) // newWorld has seen to the room
		l.fate.End(fate.CodeError)
		return
	}
	l.worlds = append(l.worlds, w)
	for i, node := range late.Nodes {
		c := late.Commands[late.Command(i)]
		l.apps = append(l.apps, &launcher.App{Program: c.Program, Args: c.Args, N: c.N, Dir: c.Dir, Env: late.Env,
			NoEnv: late.NoEnv, Unset: late.Unset, Nice: late.Nice})
		l.node = append(l.node, node)
		l.agents[node].ranks = append(l.agents[node].ranks, w.First+i)
	}
	l.size += w.Size
	l.watch.Grow(w.Size)
	l.desk.Others.Grown()
}

// stepDone is told that an agent has done a step. After the last one comes the next step.
func (a *remote) stepDone(d *part.LateDone) {
	l, s := a.l, a.l.spawning
	if s == nil || l.over() {
		return
	}
	next, ok, ends := s.Done(a.number, a.name, d)
	if ends {
		l.ends.EndWorld(s.World) // before the ends are told of ranks that the agent has killed
	}
	if ok {
		l.orderStep(next)
	}
	over, err := s.Over()
	switch {
	case !over:
	case err != nil:
		l.logf("rank %d: spawn: %v", s.Rank, err)
		l.endSpawn(job.Refuse(err))
	default:
		l.endSpawn(job.Grant(job.EncodeWorld(s.World, s.CountsOf())...))
	}
}

// endSpawn answers who has asked for a world.
func (l *leader) endSpawn(answer []string) {
	l.spawning.from.order(part.Order{Answer: answer})
	l.spawning = nil
}
