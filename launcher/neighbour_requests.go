package launcher

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/launcher/internal/neighbour"
)

// Requests between jobs: for a number of this one, for the ranks of another one, at its ports, and for names that are
// found in other jobs.

// answer answers a request of a rank that concerns other jobs; ok is false if it does not.
func (s *supervisor) answer(request []string) (answer []string, ok bool) {
	var texts []string
	var err error
	switch {
	case len(request) == 1 && request[0] == job.AskNumber:
		var number int
		number, err = s.openDoor()
		texts = []string{strconv.Itoa(number)}
	case len(request) == 2 && request[0] == job.AskName:
		number, _ := strconv.Atoi(request[1])
		_, err = s.askOther(number, 0, request)
	case len(request) == 3 && (request[0] == job.AskMeet || request[0] == job.AskLeave):
		var p job.Port
		if p, err = job.ParsePort(request[1]); err == nil {
			answer, err = s.askOther(p.Of, p.Job, request)
		}
		if err == nil {
			return answer, true
		}
	default:
		return nil, false
	}
	if err != nil {
		return job.Refuse(fmt.Errorf("%w: %w", job.ErrPort, err)), true
	}
	return job.Grant(texts...), true
}

// errEnded says what has become of the job of a port.
var errEnded = errors.New("its job has ended, or is of another user or network namespace")

// errSilent says that a supervisor is stopped, or hangs.
var errSilent = errors.New("the pvasrun of the other job does not answer")

// giveUpAsking ends the wait for another job when nobody needs its answer any more.
func (s *supervisor) giveUpAsking() {
	if giveUp := s.neighbours.giveUp; giveUp != nil && (s.over() || s.ranks.Alive() == 0) {
		giveUp()
	}
}

// askOther asks the job with a number, which it meets first if it has not. id is that of the job; 0: any.
func (s *supervisor) askOther(number int, id uint64, ask []string) (answer []string, err error) {
	if _, err := s.openDoor(); err != nil {
		return nil, err
	}
	n, own := &s.neighbours, s.hello()
	if number == own.Number { // that of an earlier job
		return nil, errEnded
	}
	waits, giveUp := context.WithTimeoutCause(context.Background(), neighbour.Patience, errSilent)
	n.giveUp = giveUp
	defer func() { giveUp(); n.giveUp = nil }()
	if o := n.jobs[number]; o == nil || id != 0 && o.ID != id {
		_, err = await(s, func() (any, error) {
			l, err := neighbour.Dial(number)
			if err != nil {
				return nil, errEnded
			}
			met := make(chan error, 1)
			go s.follow(l, own, id, func(err error) { met <- err })
			select {
			case err := <-met:
				return nil, err
			case <-waits.Done():
				return nil, context.Cause(waits)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	o := n.jobs[number]
	if o == nil || id != 0 && o.ID != id {
		return nil, errEnded
	}
	n.asked++
	reply := make(chan []string, 1)
	o.answers[n.asked] = reply
	o.links[0].Send(neighbour.Message{Number: n.asked, Ask: ask})
	answer, err = await(s, func() ([]string, error) {
		select {
		case answer, ok := <-reply:
			if !ok {
				return nil, errEnded
			}
			return answer, nil
		case <-waits.Done():
			return nil, context.Cause(waits)
		}
	})
	if o.refused != "" {
		return nil, errors.New(o.refused)
	}
	return answer, err
}

// answerOther answers the job with a number: one of its ranks asks at a port, or asks there no more, or nothing.
func (s *supervisor) answerOther(number int, ask []string) []string {
	request, known := map[string]string{job.AskMeet: job.AskConnect, job.AskLeave: job.AskWithdraw}[ask[0]]
	if !known || len(ask) != 3 {
		return job.Grant()
	}
	root := s.memory.Root()
	own, err := strconv.Atoi(ask[2])
	rank, known := root.Named(job.NameIn(number, own))
	if err != nil || !known {
		return job.Refuse(fmt.Errorf("%w: its job does not know the rank that asks", job.ErrPort))
	}
	answer, _ := s.names.Handle(root.ID(), rank, []string{request, ask[1]})
	return answer
}

// publish has other jobs find a service, or no more, after the names of this one have taken the request.
func (s *supervisor) publish(request, answer []string) []string {
	if len(request) < 3 {
		return answer
	}
	if _, err := job.Granted(answer); err != nil {
		return answer
	}
	service, services := request[1], s.neighbours.services
	p, err := job.ParsePort(request[2])
	switch {
	case request[0] == job.AskUnpublish:
		s.withdraw(service)
	case request[0] != job.AskPublish || err != nil || p.Of == 0 || services == nil:
	default:
		socket, err := neighbour.Serve(service, request[2])
		if err == nil {
			services[service] = socket
			break
		}
		_, _ = s.names.Handle(s.memory.Root().ID(), -1, []string{job.AskUnpublish, service, request[2]})
		if errors.Is(err, sys.ErrNameTaken) {
			err = fmt.Errorf("another job has published %q", service)
		}
		return job.Refuse(fmt.Errorf("%w: %w", job.ErrService, err))
	}
	return answer
}

func (s *supervisor) withdraw(service string) {
	if socket := s.neighbours.services[service]; socket != nil {
		_ = socket.Close()
		delete(s.neighbours.services, service)
	}
}

// withdrawGone withdraws the services of a rank that has ended.
func (s *supervisor) withdrawGone() {
	for service := range s.neighbours.services {
		answer, _ := s.names.Handle(s.memory.Root().ID(), -1, []string{job.AskLookup, service})
		if _, err := job.Granted(answer); err != nil {
			s.withdraw(service)
		}
	}
}
