package watch

import (
	"maps"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/symbol"
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

// pending is a report or an answer that waits for places. The zero value is the answer to the question of Ask.
type pending struct {
	doing bool   // the answer to a look of the leader
	look  uint32 // its number
	views []job.View
	proof *job.Proof // of a deadlock that views show
}

// waits tells whether a report waits for places.
func (p *placing) waits() bool { return p.then != nil }

// await returns then if the places of these calls are known, or cannot be read in time. Else then waits for them until
// limit, at most. fresh are the calls whose places are to be read.
func (p *placing) await(calls []hang.Call, then pending, limit time.Duration) (ready []pending, fresh []hang.Call) {
	for _, call := range calls {
		if _, asked := p.known[call]; !asked && call.Address != 0 {
			p.known[call] = symbol.Place{}
			fresh = append(fresh, call)
		}
	}
	if len(fresh) > 0 {
		p.reading++
	}
	if p.reading == 0 {
		return []pending{then}, nil
	}
	p.then = append(p.then, then)
	if p.late == nil {
		p.late = time.After(limit)
	}
	return nil, fresh
}

// found notes places that were read, and returns what has waited for them.
func (p *placing) found(places map[hang.Call]symbol.Place) []pending {
	maps.Copy(p.known, places)
	if p.reading--; p.reading <= 0 {
		return p.release()
	}
	return nil
}

// release returns all that waits. Later reports do not wait for places that are still being read.
func (p *placing) release() []pending {
	then := p.then
	p.reading, p.late, p.then = 0, nil, nil
	return then
}
