package cluster

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// read hands the agent's notes to the leader. It runs until the link ends.
func (a *remote) read(in io.ReadCloser) {
	defer in.Close()
	err := a.link.awaitMagic(&a.said)
	if err != nil {
		close(a.spoken)
	}
	for first := true; err == nil; first = false {
		var n note
		err = a.link.Receive(&n)
		if first {
			a.speaks(n.Ready)
		}
		if n.Clock != nil {
			n.Clock.end = sys.Monotonic()
		}
		switch {
		case err != nil:
		case n.Beat:
			a.beats.Add(1)
		default:
			a.l.post(func() { a.take(&n) })
		}
	}
	if a.command == nil {
		close(a.waited)
	}
	select { // its standard error may explain the end
	case <-a.waited:
	case <-time.After(endTime / 3):
	case <-a.l.done:
	}
	a.l.post(func() { a.lose(a.why(err)) })
}

// speaks is told the first note of the agent, which answers the greeting: r is nil if it does not.
func (a *remote) speaks(r *ready) {
	close(a.spoken)
	if r != nil {
		a.link.kernel = kernelOf(a.here(), r.Below.Reverse(), a.link.timeout)
		go a.link.beat(order{}, a.stop, func(err error) { a.l.post(func() { a.lose(err) }) })
	}
}

// here tells whether the agent is a child of this process.
func (a *remote) here() bool { return a.command != nil && a.l.nodes.Shell == nil && IsHere(a.name) }

// take handles a note.
func (a *remote) take(n *note) {
	l := a.l
	switch {
	case a.over:
	case n.Ready != nil:
		a.greeted(n.Ready)
	case n.Started:
		a.started = true
		l.fate.Starting = slices.ContainsFunc(l.agents, func(a *remote) bool { return !a.started })
	case n.Addresses != nil:
		a.reached(n.Addresses)
	case n.Ended != nil:
		a.ended(n.Ended)
	case n.Request != nil:
		l.requests = append(l.requests, request{a, n.Request})
	case n.Late != nil:
		a.stepDone(n.Late)
	case n.Links != nil:
		a.saysLinked(n.Links.Any)
	case n.Killed:
		a.waitsForKilled()
	case n.Output != nil:
		a.pass(n)
	case n.Took > 0:
		a.window.give(n.Took)
	case n.Reader != nil:
		a.told(n.Reader)
	case n.Log != "":
		l.logf("%s", n.Log)
	case n.Asked != 0:
		l.asked(a, n.Asked)
	case n.Doing != nil:
		l.act(l.watch.Told(a.number, a.ranks, n.Doing, l.now()))
	case n.Waiting != nil:
		a.waiting = n.Waiting.Ranks
	case n.Clock != nil:
		a.clockRead(*n.Clock)
	case n.Data != nil:
		a.measured(n)
	case n.Doors != nil:
		a.doors = n.Doors.At
	case n.Called:
		a.called = true
	case n.Heard != nil:
		a.heard = n.Heard.By
	case n.Finished != nil:
		a.finished(n.Finished)
	}
}

func (a *remote) greeted(r *ready) {
	a.ready, a.answered = r, time.Now()
	if a.command == nil && a.l.nodes.StartTime == 0 {
		a.l.nextPatience()
	}
}

// has tells whether a rank is of the agent's.
func (a *remote) has(rank int) bool {
	_, ok := slices.BinarySearch(a.ranks, rank)
	return ok
}

// pass writes the output of ranks, and lets the agent go on with as much.
func (a *remote) pass(n *note) {
	a.l.io.Put(func() {
		a.l.io.Pass(n.Output, n.Errors)
		a.link.Post(order{Took: len(n.Output)})
	})
}

// finished is told that the agent's part is over.
func (a *remote) finished(f *finished) {
	l := a.l
	a.end = f
	if f.Err != "" && !l.over() {
		l.failure = &NodeError{a.name, errors.New(strings.TrimPrefix(f.Err, "launcher: ")), f.Code}
		l.fate.End(f.Code)
	}
	if f.Code != 0 && !l.over() {
		l.fate.End(f.Code) // it has said why
	}
	a.finish()
}

// finish ends the link.
func (a *remote) finish() {
	if a.over {
		return
	}
	a.over, a.alive = true, 0
	l := a.l
	l.act(l.watch.Ended(a.number, l.now()))
	l.stopWhenTold()
	a.saysLinked(false)
	close(a.stop)
	a.window.close()
	if a.command == nil && a.ready == nil {
		a.stdin.Close() // it may never connect, and nothing is to be said
		return
	}
	a.link.Put(func() { a.stdin.Close() })
}

// lose is told that the agent is lost. Its ranks, if their node still runs, end by themselves.
// All other ranks are told that they have gone.
func (a *remote) lose(err error) {
	if a.over {
		return
	}
	l := a.l
	var gone []part.RankGone
	for _, rank := range a.ranks {
		if !a.gone[rank] {
			gone = append(gone, part.RankGone{Rank: rank})
		}
	}
	a.lost = err
	a.finish()
	a.kill()
	switch {
	case l.over():
	case a.ready == nil:
		l.failure = &NodeError{a.name, fmt.Errorf("start pvasrun there: %w", err), fate.CodeError}
	default:
		l.fate.End(fate.CodeError)
		l.io.Say("node %s is lost: %v%s", a.name, err, l.fate.Others())
	}
	a.others(part.Order{News: part.News{Gone: gone}})
}
