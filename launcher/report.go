package launcher

import (
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/hang"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"github.com/gopvas/gopvas/launcher/internal/watch"
)

// act takes the steps of the watch.
func (s *supervisor) act(steps []watch.Step) {
	for _, step := range steps {
		switch {
		case step.Read != nil:
			shared := s.starter.btl == job.BTLPvas
			go func() {
				places := hang.ReadPlaces(step.Read, shared)
				s.post(func() { s.act(s.watch.Found(places)) })
			}()
		case step.Waiting != nil, step.Doing != nil:
			s.job.Part.Tell(part.Note{Waiting: step.Waiting, Doing: step.Doing})
		case step.Report != nil:
			s.report(step.Report)
		}
		if step.TimedOut {
			s.fate.TimedOut(s.job.Timeout)
		}
	}
}

// report prints the report of the ranks, and writes it to the file that is asked for. Programs that have not called
// Init, or never will, are not known here. A proved deadlock ends the job, unless another cause has meanwhile.
func (s *supervisor) report(r *watch.Report) {
	switch {
	case !r.Started:
		s.io.Say("no rank has been started yet")
		return
	case r.Proof != nil && s.over():
		return
	}
	for rank := range r.Who {
		r.Who[rank].Program = s.app(rank).Program
	}
	hang.Tell(r.Views, r.Who, r.Proof, s.job.HangFile, s.io.Say, &s.io.Queue)
	if r.Proof != nil && s.job.Deadlock != DeadlockReport {
		s.fate.Deadlocked()
	}
}
