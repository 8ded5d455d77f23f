package desk

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/neighbour"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// A Desk answers one request after the other. It belongs to the goroutine of the supervisor.
//
//	free --Next--> a turn --Reply--> free
type Desk struct {
	root     *job.Root
	names    job.Names
	Others   *neighbour.Jobs
	ofLeader bool // the leader of several nodes answers, and this is one of them
	busy     bool // with a turn
}

// A Turn is a request that the desk cannot answer at once. One field is set. Reply gives the answer.
type Turn struct {
	Leader *part.Request       // the leader answers
	Other  *neighbour.Question // another job answers
	Spawn  *Spawn
}

// Spawn is the request of a rank to start others.
type Spawn struct {
	Parent   int
	Commands []job.Command
	Instead  []job.Instead // if there are no commands: of these ranks
}

// Open returns the desk of a job, or of a part of one. The leader of a job on several nodes has one whose requests come
// from the others: it calls Take.
func Open(own neighbour.Own, p *part.Part) *Desk {
	d := &Desk{root: own.Root, ofLeader: p != nil}
	d.Others = neighbour.New(own, &d.names)
	return d
}

// Next answers requests until one takes a turn. It returns false if there are no more, or a turn has no answer yet.
func (d *Desk) Next() (Turn, bool) {
	for !d.busy {
		rank, request, ok := d.root.Request()
		if !ok {
			break
		}
		d.busy = true
		turn, answer := d.Take(rank, request)
		if answer == nil {
			return turn, true
		}
		d.Reply(answer)
	}
	return Turn{}, false
}

// Take returns the answer to a request, or its turn.
func (d *Desk) Take(rank int, request []string) (t Turn, answer []string) {
	if d.ofLeader {
		t.Leader = &part.Request{Rank: rank, Texts: request}
		return t, nil
	}
	if answer, ok := d.names.Handle(d.root.ID(), rank, request); ok {
		return t, d.Others.Publish(request, answer)
	}
	if answer, t.Other = d.Others.Handle(request); answer != nil || t.Other != nil {
		return t, answer
	}
	commands, spawn := job.DecodeSpawn(request)
	instead, refill := job.DecodeRefill(request)
	if !spawn && !refill {
		return t, job.Refuse(fmt.Errorf("%w: pvasrun does not know the request", job.ErrSpawn))
	}
	t.Spawn = &Spawn{rank, commands, instead}
	return t, nil
}

// Reply answers the request of the turn.
func (d *Desk) Reply(answer []string) {
	d.root.Reply(answer...)
	d.busy = false
}

// Gone notes that a rank has ended, and how.
func (d *Desk) Gone(rank int, how string) {
	d.names.Gone(rank, d.root.World(rank), how)
	d.Others.WithdrawGone()
}
