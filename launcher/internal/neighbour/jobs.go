package neighbour

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// Jobs are the other jobs of the user on this node that a supervisor has met. When a rank connects to a port of one,
// the supervisors link up, and tell each other what happens to their ranks. Each notes that in the root block of its
// job, as the agents of a job on several nodes do: there the ranks of the other job are visitors. The goroutine of the
// supervisor owns all of it. The goroutines that accept links and receive messages post what comes to it.
type Jobs struct {
	root     *job.Root
	names    *job.Names
	recorded bool
	post     func(func()) bool // has the supervisor run a function; false: it takes no more
	ends     context.Context   // ends when the memory is about to be closed
	told     sync.WaitGroup    // part.FollowAddresses

	door     *Door
	met      map[int]*otherJob // by number
	asked    int               // number of the last question to another job
	question *Question         // that is open; nil: none is
	services map[string]*os.File
}

// otherJob is a job that this one has met.
type otherJob struct {
	Hello
	links   []*Link // several if both supervisors have dialled at a time
	ranks   int
	key     job.Key
	refused string                // why no rank of this job can connect with it
	answers map[int]chan []string // for questions that are open, by number
}

// New returns the jobs that a job has met: none yet. recorded says whether its ranks are.
func New(ends context.Context, root *job.Root, names *job.Names, recorded bool, post func(func()) bool) *Jobs {
	return &Jobs{root: root, names: names, recorded: recorded, post: post, ends: ends, met: map[int]*otherJob{},
		services: map[string]*os.File{}}
}

// open has others find this job, and returns its number.
func (n *Jobs) open() (int, error) {
	root := n.root
	switch {
	case n.door != nil:
		return n.door.Number, nil
	case n.recorded:
		return 0, errors.New("ranks that are recorded (--trace) are not connected with others")
	case root.Places() > job.MostNumbered && (!job.Survives(root) || root.Ranks() > job.MostNumbered):
		return 0, fmt.Errorf("the job has room for %d ranks, and one that other jobs connect with for %d at most: use "+
			"fewer ranks, and pvasrun --universe N with a smaller N", root.Places(), job.MostNumbered)
	case root.Places() == root.Ranks():
		return 0, fmt.Errorf("the job has no room for ranks of others: use fewer ranks, or pvasrun --universe N "+
			"with N up to %d", job.MostNumbered)
	}
	door, err := Open(root.ID())
	if err != nil {
		return 0, err
	}
	n.door = door
	root.SetJobNumber(door.Number)
	own := n.hello()
	go func() {
		for {
			l, err := door.Accept()
			if err != nil {
				return
			}
			go n.follow(l, own, 0, func(error) {})
		}
	}()
	n.told.Go(func() {
		// A job that is met meanwhile hears of all addresses in meet.
		part.FollowAddresses(n.ends, root, func(list []part.Address) {
			n.post(func() { n.Tell(Message{Addresses: list}) })
		})
	})
	return door.Number, nil
}

func (n *Jobs) hello() Hello {
	root := n.root
	return Hello{Version: job.LayoutVersion, ID: root.ID(), Number: root.JobNumber(), Pid: os.Getpid(),
		Key: root.Key(), Calls: fmt.Sprintf("--coll=%q --check=%v", root.Settings().Coll, root.Settings().Check)}
}

// Close ends all that others see of this job, when ends has ended. No goroutine posts any more.
func (n *Jobs) Close() {
	if n.door == nil {
		return
	}
	n.door.Close()
	for _, socket := range n.services {
		_ = socket.Close()
	}
	for _, o := range n.met {
		for _, l := range o.links {
			l.Flush() // the ends of ranks
			l.Close()
		}
	}
	n.told.Wait()
}

// follow posts what a link brings, to its end. It is a link to the job with an id; 0: any. met is called when the other
// job is known, by the supervisor, or cannot be, with an error.
func (n *Jobs) follow(l *Link, own Hello, id uint64, met func(error)) {
	defer l.Close()
	other, err := l.Greet(own)
	if err == nil && id != 0 && other.ID != id {
		err = errEnded
	}
	if err != nil {
		met(err)
		return
	}
	if !n.post(func() {
		err := n.meet(l, other)
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
			n.post(func() { n.linkEnds(l, other.Number) })
			return
		}
		n.post(func() { n.hear(l, other.Number, m) })
	}
}

// meet notes another job, and tells it the state of this one. The ranks of the other job follow in its first message.
func (n *Jobs) meet(l *Link, other Hello) error {
	if n.ends.Err() != nil { // the doors are closed
		return errEnded
	}
	root := n.root
	o := n.met[other.Number]
	if o != nil && o.ID != other.ID { // an earlier one with the same number, which has ended
		n.jobEnds(o)
		o = nil
	}
	if o == nil {
		o = &otherJob{Hello: other, key: root.Key(), answers: map[int]chan []string{}}
		if other.Number < root.JobNumber() {
			o.key = other.Key
		}
		n.met[other.Number] = o
	}
	o.links = append(o.links, l)
	m := Message{Ranks: root.Ranks()}
	for rank := range root.Ranks() {
		if a, ok := part.AddressOf(root, rank); ok {
			m.Addresses = append(m.Addresses, a)
		}
		if root.Gone(rank) {
			m.Ends = append(m.Ends, n.endOf(rank))
		}
	}
	l.Send(m)
	return nil
}

func (n *Jobs) endOf(rank int) End {
	return End{Rank: rank, Final: n.root.State(rank) == job.StateFinal}
}

// hear notes what another job tells.
func (n *Jobs) hear(l *Link, number int, m Message) {
	o, root := n.met[number], n.root
	if o == nil || !slices.Contains(o.links, l) || n.ends.Err() != nil {
		return
	}
	if m.Refused != "" {
		o.refused = m.Refused
	}
	if m.Ranks > o.ranks {
		if err := root.AddVisitors(number, o.Pid, o.ranks, m.Ranks-o.ranks, o.key); err != nil {
			o.refused = err.Error()
			l.Send(Message{Refused: "the other job cannot have the ranks of this one: " + o.refused})
			return
		}
		o.ranks = m.Ranks
	}
	for _, a := range m.Addresses {
		if rank, ok := root.Named(job.NameIn(number, a.Rank)); ok {
			a.Note(root, rank)
		}
	}
	for _, e := range m.Ends {
		n.visitorGone(number, e)
	}
	switch {
	case m.Ask != nil:
		l.Send(Message{Number: m.Number, Ranks: root.Ranks(), Answer: n.answerOther(number, m.Ask)})
	case m.Answer != nil && o.answers[m.Number] != nil:
		o.answers[m.Number] <- m.Answer
		delete(o.answers, m.Number)
	}
}

func (n *Jobs) visitorGone(number int, e End) {
	root := n.root
	rank, ok := root.Named(job.NameIn(number, e.Rank))
	if !ok || !root.Visits(rank) || root.Gone(rank) {
		return
	}
	if e.Final {
		root.SetState(rank, job.StateFinal)
	}
	root.MarkGone(rank)
}

// linkEnds notes the end of a link. The end of the last one is that of the other job.
func (n *Jobs) linkEnds(l *Link, number int) {
	o := n.met[number]
	if o == nil || n.ends.Err() != nil {
		return
	}
	at := slices.Index(o.links, l)
	if at < 0 {
		return
	}
	if o.links = slices.Delete(o.links, at, at+1); len(o.links) == 0 {
		n.jobEnds(o)
	}
}

func (n *Jobs) jobEnds(o *otherJob) {
	for rank := range o.ranks {
		n.visitorGone(o.Number, End{Rank: rank})
	}
	for _, answer := range o.answers {
		close(answer)
	}
	o.answers = nil
	delete(n.met, o.Number)
}

// Tell tells all jobs that this one has met.
func (n *Jobs) Tell(m Message) {
	for _, o := range n.met {
		for _, l := range o.links {
			l.Send(m)
		}
	}
}

// Ends tells them of the end of a rank.
func (n *Jobs) Ends(rank int) { n.Tell(Message{Ends: []End{n.endOf(rank)}}) }
