package launcher

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/launcher/internal/neighbour"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// Other jobs of the user on this node. When a rank connects to a port of one, the supervisors link up, and tell each
// other what happens to their ranks. Each notes that in the root block of its job, as the agents of a job on several
// nodes do: there the ranks of the other job are visitors. All of it belongs to the goroutine of Run, but for the
// goroutines that wait at the door and for what links bring; these post it.
type neighbours struct {
	door     *neighbour.Door
	jobs     map[int]*otherJob // by number
	asked    int               // requests to others
	giveUp   func()            // ends the wait for one; nil: there is none
	services map[string]*os.File
}

// otherJob is a job that this one has met.
type otherJob struct {
	neighbour.Hello
	links   []*neighbour.Link // several if both have dialled at a time
	ranks   int
	key     job.Key
	refused string
	answers map[int]chan []string
}

// openDoor has others find this job, and returns its number.
func (s *supervisor) openDoor() (int, error) {
	n, root := &s.neighbours, s.memory.Root()
	switch {
	case n.door != nil:
		return n.door.Number, nil
	case s.job.TraceSize > 0:
		return 0, errors.New("ranks that are recorded (--trace) are not connected with others")
	case root.Places() > job.MostNumbered:
		return 0, fmt.Errorf("the job has room for %d ranks, and one that other jobs connect with for %d at most: use "+
			"fewer ranks, and pvasrun --universe N with a smaller N", root.Places(), job.MostNumbered)
	case root.Places() == root.Ranks():
		return 0, fmt.Errorf("the job has no room for ranks of others: use fewer ranks, or pvasrun --universe N "+
			"with N up to %d", job.MostNumbered)
	}
	door, err := neighbour.Open(root.ID())
	if err != nil {
		return 0, err
	}
	n.door, n.jobs, n.services = door, map[int]*otherJob{}, map[string]*os.File{}
	root.SetJobNumber(door.Number)
	own := s.hello()
	go func() {
		for {
			l, err := door.Accept()
			if err != nil {
				return
			}
			go s.follow(l, own, 0, func(error) {})
		}
	}()
	s.told.Go(func() { s.followAddresses(s.tellAddresses) })
	return door.Number, nil
}

func (s *supervisor) hello() neighbour.Hello {
	root := s.memory.Root()
	return neighbour.Hello{Version: job.LayoutVersion, ID: root.ID(), Number: root.JobNumber(), Pid: os.Getpid(),
		Key: root.Key(), Calls: fmt.Sprintf("--coll=%q --check=%v", root.Settings().Coll, root.Settings().Check)}
}

// closeDoors ends all that others see of this job. No goroutine posts any more.
func (s *supervisor) closeDoors() {
	n := &s.neighbours
	if n.door == nil {
		return
	}
	n.door.Close()
	for _, socket := range n.services {
		_ = socket.Close()
	}
	for _, o := range n.jobs {
		for _, l := range o.links {
			l.Flush() // the ends of ranks
			l.Close()
		}
	}
}

// follow posts what a link brings, to its end. It is a link to the job with an id; 0: any. met is called when the other
// job is known, or cannot be.
func (s *supervisor) follow(l *neighbour.Link, own neighbour.Hello, id uint64, met func(error)) {
	defer l.Close()
	other, err := l.Greet(own)
	if err == nil && id != 0 && other.ID != id {
		err = errEnded
	}
	if err != nil {
		met(err)
		return
	}
	if !s.post(func() {
		err := s.meet(l, other)
		if err != nil {
			l.Close()
		}
		met(err)
	}) {
		return
	}
	for {
		m, err := l.Receive()
		if err != nil {
			s.post(func() { s.linkEnds(l, other.Number) })
			return
		}
		s.post(func() { s.hear(l, other.Number, m) })
	}
}

// meet takes note of another job, and tells it the state of this one. Its ranks follow in its first message.
func (s *supervisor) meet(l *neighbour.Link, other neighbour.Hello) error {
	if s.nodesEnd.Err() != nil { // the doors are closed
		return errEnded
	}
	n, root := &s.neighbours, s.memory.Root()
	o := n.jobs[other.Number]
	if o != nil && o.ID != other.ID { // an earlier one with the same number, which has ended
		s.jobEnds(o)
		o = nil
	}
	if o == nil {
		o = &otherJob{Hello: other, key: root.Key(), answers: map[int]chan []string{}}
		if other.Number < root.JobNumber() {
			o.key = other.Key
		}
		n.jobs[other.Number] = o
	}
	o.links = append(o.links, l)
	m := neighbour.Message{Ranks: root.Ranks()}
	for rank := range root.Ranks() {
		if a, ok := addressOf(root, rank); ok {
			m.Addresses = append(m.Addresses, a)
		}
		if root.Gone(rank) {
			m.Ends = append(m.Ends, s.endOf(rank))
		}
	}
	l.Send(m)
	return nil
}

func (s *supervisor) endOf(rank int) neighbour.End {
	return neighbour.End{Rank: rank, Final: s.memory.Root().State(rank) == job.StateFinal}
}

// hear notes what another job tells.
func (s *supervisor) hear(l *neighbour.Link, number int, m neighbour.Message) {
	o, root := s.neighbours.jobs[number], s.memory.Root()
	if o == nil || !slices.Contains(o.links, l) || s.nodesEnd.Err() != nil {
		return
	}
	if m.Refused != "" {
		o.refused = m.Refused
	}
	if m.Ranks > o.ranks {
		if err := root.AddVisitors(number, o.Pid, o.ranks, m.Ranks-o.ranks, o.key); err != nil {
			o.refused = err.Error()
			l.Send(neighbour.Message{Refused: "the other job cannot have the ranks of this one: " + o.refused})
			return
		}
		o.ranks = m.Ranks
	}
	for _, a := range m.Addresses {
		if rank, ok := root.Named(job.NameIn(number, a.Rank)); ok {
			if _, known := root.Address(rank); !known {
				root.SetAddress(rank, a.Addr)
			}
			root.SetEnds(rank, a.Ends)
		}
	}
	for _, e := range m.Ends {
		s.visitorGone(number, e)
	}
	switch {
	case m.Ask != nil:
		l.Send(neighbour.Message{Number: m.Number, Ranks: root.Ranks(), Answer: s.answerOther(number, m.Ask)})
	case m.Answer != nil && o.answers[m.Number] != nil:
		o.answers[m.Number] <- m.Answer
		delete(o.answers, m.Number)
	}
}

func (s *supervisor) visitorGone(number int, e neighbour.End) {
	root := s.memory.Root()
	rank, ok := root.Named(job.NameIn(number, e.Rank))
	if !ok || !root.Visits(rank) || root.Gone(rank) {
		return
	}
	if e.Final {
		root.SetState(rank, job.StateFinal)
	}
	root.MarkGone(rank)
}

// linkEnds is for a link that has ended. The last one ends with its job.
func (s *supervisor) linkEnds(l *neighbour.Link, number int) {
	o := s.neighbours.jobs[number]
	if o == nil || s.nodesEnd.Err() != nil {
		return
	}
	at := slices.Index(o.links, l)
	if at < 0 {
		return
	}
	if o.links = slices.Delete(o.links, at, at+1); len(o.links) == 0 {
		s.jobEnds(o)
	}
}

func (s *supervisor) jobEnds(o *otherJob) {
	for rank := range o.ranks {
		s.visitorGone(o.Number, neighbour.End{Rank: rank})
	}
	for _, answer := range o.answers {
		close(answer)
	}
	o.answers = nil
	delete(s.neighbours.jobs, o.Number)
}

// tellNeighbours tells all jobs that this one has met.
func (s *supervisor) tellNeighbours(m neighbour.Message) {
	for _, o := range s.neighbours.jobs {
		for _, l := range o.links {
			l.Send(m)
		}
	}
}

// tellAddresses tells all jobs that this one has met. It is on another goroutine: meet, too, tells a job that is met
// meanwhile.
func (s *supervisor) tellAddresses(list []part.Address) {
	s.post(func() { s.tellNeighbours(neighbour.Message{Addresses: list}) })
}
