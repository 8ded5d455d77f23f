package watch

import (
	"maps"
	"time"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/trace/symbol"
	"github.com/gopvas/gopvas/launcher/internal/hang"
)

// placeTime limits how long a report waits for places: files may be in a file system that hangs. The leader of several
// nodes waits for an answer for hang.AnswerTime only.
const (
	placeTime     = 5 * time.Second
	placeTimeAway = hang.AnswerTime / 2
)

// placing is what is known of places.
type placing struct {
	known   map[hang.Call]symbol.Place // of the calls that were asked for; zero: it is not known, or not yet
	reading int                        // goroutines that reports wait for
	late    <-chan time.Time           // when reports do without
	then    []pending                  // waits until all is read, or late
}

// pending is what waits for places: the answer to the question, but for other fields.
type pending struct {
	doing bool   // the answer to a look of the leader
	look  uint32 // its number
	views []job.View
	proof *job.Proof // of a deadlock that views show
}

func (p *placing) waits() bool { return p.then != nil }

// Placing tells whether a report waits for places.
func (w *Watch) Placing() bool { return w.placing.waits() }

// PlacesDue is when PlacesLate is due.
func (w *Watch) PlacesDue() <-chan time.Time { return w.placing.late }

// placed returns the steps of what is to follow, now or when the places of the calls in which ranks are now are known,
// or cannot be read in time.
func (w *Watch) placed(then pending) []Step {
	p := &w.placing
	var fresh []hang.Call
	for rank := range w.ranks.Size() {
		call := w.callNow(rank)
		if _, asked := p.known[call]; !asked && call.Address != 0 {
			p.known[call] = symbol.Place{}
			fresh = append(fresh, call)
		}
	}
	var steps []Step
	if len(fresh) > 0 {
		p.reading++
		steps = []Step{{Read: fresh}}
	}
	if p.reading == 0 {
		return w.steps([]pending{then})
	}
	p.then = append(p.then, then)
	if limit := placeTime; p.late == nil {
		if w.ofLeader {
			limit = placeTimeAway
		}
		p.late = time.After(limit)
	}
	return steps
}

// Found takes in what was read.
func (w *Watch) Found(places map[hang.Call]symbol.Place) []Step {
	maps.Copy(w.placing.known, places)
	if w.placing.reading--; w.placing.reading <= 0 {
		return w.PlacesLate()
	}
	return nil
}

// PlacesLate lets the reports go on. Later ones do not wait for what is still being read.
func (w *Watch) PlacesLate() []Step {
	then := w.placing.then
	w.placing.reading, w.placing.late, w.placing.then = 0, nil, nil
	return w.steps(then)
}

// callNow is the call in which a rank of this node waits or polls. It has no address if that is not known.
func (w *Watch) callNow(rank int) hang.Call {
	call, number := hang.Call{Pid: w.ranks.Pid(rank)}, w.ranks.Number(rank)
	if call.Pid == 0 || w.root.Gone(number) {
		return call
	}
	if a, waits := w.root.Waiting(number); waits {
		call.Address = a.Place
	} else {
		call.Address = w.root.Polls(number).Place
	}
	return call
}
