package neighbour

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Requests of ranks that concern other jobs: for a number of this one, for the ranks of another one, at its ports, and
// for names that are found in other jobs.

// Handle answers a request of a rank, if it concerns other jobs; else both results are nil. A question is one that
// another job answers: its Answer is the answer.
func (n *Jobs) Handle(request []string) (answer []string, q *Question) {
	var number int
	var err error
	switch {
	case len(request) == 1 && request[0] == job.AskNumber:
		if number, err = n.open(0); err == nil {
			return job.Grant(strconv.Itoa(number)), nil
		}
	case len(request) == 2 && request[0] == job.AskName:
		number, _ = strconv.Atoi(request[1])
		if n.Spread != nil && n.door != nil && number == n.door.Number {
			return job.Grant(), nil // a node that has heard of the number by then
		}
		q, err = n.ask(job.Port{Of: number}, request)
	case len(request) == 3 && (request[0] == job.AskMeet || request[0] == job.AskLeave):
		var p job.Port
		if p, err = job.ParsePort(request[1]); err == nil {
			q, err = n.ask(p, request)
		}
	default:
		return nil, nil
	}
	if err != nil {
		return refuse(err), nil
	}
	return nil, q
}

func refuse(err error) []string { return job.Refuse(fmt.Errorf("%w: %w", job.ErrPort, err)) }

// errEnded says what has become of the job of a port.
var errEnded = errors.New("its job has ended, or is of another user or network namespace")

// errSilent says that a supervisor is stopped, or hangs.
var errSilent = errors.New("the pvasrun of the other job does not answer")

// A Question is one to another job, which is met first if it has not been.
//
//	asked --> (dial, meet) --> put --> answered
//
// Wait does what may block, on another goroutine than the supervisor's. There the question is put and answered, as all
// that links bring.
type Question struct {
	n      *Jobs
	own    Hello
	at     job.Port // of the job; its ID is 0: any
	ask    []string // the request
	to     *otherJob
	reply  chan []string // it is closed when the job ends
	failed chan error    // to meet it
	waits  context.Context
	giveUp context.CancelFunc
}

// ask begins to ask the job of a port.
func (n *Jobs) ask(at job.Port, ask []string) (*Question, error) {
	if _, err := n.open(at.Of); err != nil {
		return nil, err
	}
	q := &Question{n: n, own: n.hello(), at: at, ask: ask, reply: make(chan []string, 1),
		failed: make(chan error, 1)}
	if at.Of == q.own.Number && at.At == nil { // that of an earlier job
		return nil, errEnded
	}
	q.waits, q.giveUp = context.WithTimeoutCause(context.Background(), Patience, errSilent)
	n.question = q
	if q.known() != nil {
		q.put()
	}
	return q, nil
}

// known returns the job if it has been met.
func (q *Question) known() *otherJob {
	if o := q.n.met[q.at.Of]; o != nil && (q.at.Job == 0 || o.ID == q.at.Job) {
		return o
	}
	return nil
}

// put asks the job, unless nobody waits for the answer any more: it would note a rank that has gone away.
func (q *Question) put() {
	o := q.known()
	switch {
	case q.waits.Err() != nil:
		return
	case o == nil:
		close(q.reply)
		return
	}
	q.n.asked++
	q.to, o.answers[q.n.asked] = o, q.reply
	o.links[0].Send(Message{Number: q.n.asked, Ask: q.ask})
}

// Wait waits for the answer. It may run on any goroutine.
func (q *Question) Wait() ([]string, error) {
	if q.to == nil {
		go func() {
			l, other, err := q.reach()
			if err != nil {
				q.failed <- err
				return
			}
			q.n.follow(l, other, func(err error) {
				if err != nil {
					q.failed <- err
					return
				}
				q.put()
			})
		}()
	}
	select {
	case answer, ok := <-q.reply:
		if !ok {
			return nil, errEnded
		}
		return answer, nil
	case err := <-q.failed:
		return nil, err
	case <-q.waits.Done():
		return nil, context.Cause(q.waits)
	}
}

// reach greets the job, on this node or on another one.
func (q *Question) reach() (l *Link, other Hello, err error) {
	if l, err = dial(q.at.Of); err != nil {
		err = errEnded
	} else if other, err = l.greet(q.own, q.at.Job); err == nil {
		return l, other, nil
	}
	if errors.Is(err, errEnded) && q.at.At != nil {
		return reachFar(q.at.At, q.own, q.at.Job)
	}
	return nil, other, err
}

// Answer ends the question by what Wait has returned, or an error instead. It returns the answer to the rank.
func (q *Question) Answer(answer []string, err error) []string {
	q.giveUp()
	q.n.question = nil
	if q.to != nil && q.to.refused != "" {
		err = errors.New(q.to.refused)
	}
	switch {
	case err != nil:
		return refuse(err)
	case q.ask[0] == job.AskName:
		return job.Grant()
	}
	return answer
}

// GiveUp ends the wait for another job: nobody needs its answer.
func (n *Jobs) GiveUp() {
	if n.question != nil {
		n.question.giveUp()
	}
}

// answerOther answers the job with a number: one of its ranks asks at a port, or asks there no more, or nothing.
func (n *Jobs) answerOther(number int, ask []string) []string {
	if len(ask) != 3 {
		return job.Grant()
	}
	request, known := map[string]string{job.AskMeet: job.AskConnect, job.AskLeave: job.AskWithdraw}[ask[0]]
	if !known {
		return job.Grant()
	}
	own, err := strconv.Atoi(ask[2])
	rank, known := n.Root.Named(job.NameIn(number, own))
	if err != nil || !known {
		return job.Refuse(fmt.Errorf("%w: its job does not know the rank that asks", job.ErrPort))
	}
	answer, _ := n.names.Handle(n.Root.ID(), rank, []string{request, ask[1]})
	return answer
}

// Publish has other jobs find a service, or no more, after the names of this one have taken the request.
func (n *Jobs) Publish(request, answer []string) []string {
	if len(request) < 3 {
		return answer
	}
	if _, err := job.Granted(answer); err != nil {
		return answer
	}
	service := request[1]
	p, err := job.ParsePort(request[2])
	switch {
	case request[0] == job.AskUnpublish:
		n.withdraw(service)
	case request[0] != job.AskPublish || err != nil || p.Of == 0 || n.door == nil:
	default:
		socket, err := serve(service, request[2])
		if err == nil {
			n.services[service] = socket
			break
		}
		_, _ = n.names.Handle(n.Root.ID(), -1, []string{job.AskUnpublish, service, request[2]})
		if errors.Is(err, sys.ErrNameTaken) {
			err = fmt.Errorf("another job has published %.100q", service)
		}
		return job.Refuse(fmt.Errorf("%w: %w", job.ErrService, err))
	}
	return answer
}

func (n *Jobs) withdraw(service string) {
	if socket := n.services[service]; socket != nil {
		_ = socket.Close()
		delete(n.services, service)
	}
}

// WithdrawGone withdraws the services of a rank that has ended.
func (n *Jobs) WithdrawGone() {
	for service := range n.services {
		answer, _ := n.names.Handle(n.Root.ID(), -1, []string{job.AskLookup, service})
		if _, err := job.Granted(answer); err != nil {
			n.withdraw(service)
		}
	}
}
