package launcher

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

// whenPlaced calls then when the places of the calls in which ranks are now are known, or cannot be read in time.
func (s *supervisor) whenPlaced(then func()) {
	p := &s.placing
	var fresh []hang.Call
	for rank := range s.ranks.Size() {
		call := s.callNow(rank)
		if _, asked := p.known[call]; !asked && call.Address != 0 {
			p.known[call] = symbol.Place{}
			fresh = append(fresh, call)
		}
	}
	if len(fresh) > 0 {
		p.reading++
		shared := s.btl == job.BTLPvas
		go func() {
			found := p.read(fresh, shared)
			s.post(func() { s.placesFound(found) })
		}()
	}
	if p.reading == 0 {
		then()
		return
	}
	p.then = append(p.then, then)
	if limit := placeTime; p.late == nil {
		if s.job.Part != nil {
			limit = placeTimeAway
		}
		p.late = time.After(limit)
	}
}

// placesFound takes in what a goroutine has read.
func (s *supervisor) placesFound(found map[hang.Call]symbol.Place) {
	maps.Copy(s.placing.known, found)
	if s.placing.reading--; s.placing.reading <= 0 {
		s.placesLate()
	}
}

// placesLate lets the reports go on. Later ones do not wait for what is still being read.
func (s *supervisor) placesLate() {
	then := s.placing.then
	s.placing.reading, s.placing.late, s.placing.then = 0, nil, nil
	for _, f := range then {
		f()
	}
}

// callNow is the call in which a rank of this node waits or polls. It has no address if that is not known.
func (s *supervisor) callNow(rank int) hang.Call {
	call, number := hang.Call{Pid: s.ranks.Pid(rank)}, s.number(rank)
	if call.Pid == 0 || s.memory.Root().Gone(number) {
		return call
	}
	if w, waits := s.memory.Root().Waiting(number); waits {
		call.Address = w.Place
	} else {
		call.Address = s.memory.Root().Polls(number).Place
	}
	return call
}
