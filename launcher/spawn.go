package launcher

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/desk"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// The supervisor looks at the desk when a rank sends SIGCHLD. While a request is answered, events are handled as ever.

// attend answers the requests at the desk. Those that come while ranks of the first world are still started wait: the
// host does one thing at a time. On one node of several the leader answers, by an order.
func (s *supervisor) attend() {
	if s.memory == nil || s.fate.Starting || s.phase != working {
		return
	}
	for {
		t, ok := s.desk.Next()
		switch {
		case !ok:
			return
		case t.Leader != nil:
			s.job.Part.Tell(part.Note{Request: t.Leader})
			return
		case t.Other != nil:
			answer, err := meanwhile(s, t.Other.Wait)
			s.desk.Reply(t.Other.Answer(answer, err))
		default:
			s.desk.Reply(s.spawnFor(t.Spawn))
		}
	}
}

// spawnFor answers the request of a rank to start others.
func (s *supervisor) spawnFor(r *desk.Spawn) []string {
	like := s.app(r.Parent)
	if r.Instead != nil {
		var err error
		if r.Instead, r.Commands, err = s.anew(r.Instead); err != nil {
			return job.Refuse(fmt.Errorf("%w: %w", job.ErrSpawn, err))
		}
	}
	l := &part.Late{Commands: r.Commands, Instead: r.Instead, Env: like.Env, NoEnv: like.NoEnv,
		Unset: like.Unset, Nice: like.Nice}
	if err := s.spawn(r.Parent, l); err != nil {
		s.job.logf("rank %d: spawn: %v", r.Parent, err)
		return job.Refuse(err)
	}
	return job.Grant(job.EncodeWorld(l.World, l.CountsOf())...)
}

// anew returns which of some failed ranks are started anew, and by which commands: as many as Settings.Respawn allows.
// Each attempt counts. Those that ask have agreed that the places are free.
func (s *supervisor) anew(asked []job.Instead) (list []job.Instead, commands []job.Command, err error) {
	root := s.memory.Root()
	for _, of := range asked {
		switch {
		case of.Rank >= s.size || !job.Failed(root, of.Rank):
			return nil, nil, fmt.Errorf("rank %d has not failed", of.Rank)
		case s.respawned < s.job.Settings.Respawn:
			s.respawned++
			app := s.app(of.Rank)
			list = append(list, of)
			commands = append(commands, job.Command{Program: app.Program, N: 1})
		}
	}
	if list == nil {
		return nil, nil, fmt.Errorf("%d ranks have been started anew: --respawn allows no more", s.respawned)
	}
	return list, commands, nil
}

// spawn starts a world. After an error none of its ranks is left.
func (s *supervisor) spawn(parent int, l *part.Late) error {
	size, err := part.Settle(l.Commands, s.free(), s.noRoom)
	if err != nil {
		return err
	}
	for _, c := range l.Commands {
		if err := checkHost(c.Host); err != nil {
			return err
		}
	}
	l.World, l.Nodes = job.World{Number: s.ranks.Next(), First: s.size, Size: size, Parent: parent}, make([]int, size)
	for _, step := range []func(*part.Late) error{s.findLate, s.expect, s.begin} {
		if err := step(l); err != nil {
			return err
		}
	}
	return nil
}

// free returns how many ranks more the job may have. Each takes a place, which nobody has had before. In a job that
// survives only the living count for its universe: others come for those that have failed.
func (s *supervisor) free() int {
	if s.job.Settings.Survive {
		return min(s.places()-s.size, s.universe()-s.ranks.Alive())
	}
	return part.Most(s.job.Universe, s.places()) - s.size
}

// universe returns how many ranks of a job that survives may live at a time.
func (s *supervisor) universe() int {
	return cmp.Or(s.job.Universe, max(job.UsualRoom, s.memory.Root().World(0).Size))
}

// places returns how many ranks the job may have one after the other.
func (s *supervisor) places() int {
	root := s.memory.Root()
	places := s.starter.places - root.Visitors()
	if root.JobNumber() > 0 {
		places = min(places, job.MostNumbered) // others have no name for more
	}
	return places
}

func (s *supervisor) noRoom() error {
	survive, room := s.job.Settings.Survive, s.places()
	switch {
	case survive && s.free() < room-s.size:
		return fmt.Errorf("the job has room for %d ranks at a time, and has %d: use pvasrun --universe N with a "+
			"larger N", s.universe(), s.ranks.Alive())
	case s.job.guest != nil && s.starter.places == 1:
		return errors.New("the job has room for this rank: raise the limit on the size of files (ulimit -f), which " +
			"leaves no room for more")
	case !survive:
		room = part.Most(s.job.Universe, room)
	}
	return part.NoRoom(room, s.size, s.job.TraceSize > 0)
}

// checkHost refuses a host that is not this one.
func checkHost(name string) error {
	own, err := os.Hostname()
	short, _, _ := strings.Cut(own, ".")
	if name == "" || name == "localhost" || err == nil && (name == own || name == short) {
		return nil
	}
	return fmt.Errorf("host %s: ranks are started on this node (%s) only", name, own)
}
