package neighbour

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"sync"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// Jobs are the other jobs of the user that a supervisor has met. When a rank connects to a port of one, the supervisors
// link up, and tell each other what happens to their ranks. Each notes that in the root block of its job, as the agents
// of a job on several nodes do: there the ranks of the other job are visitors. The goroutine of the supervisor owns all
// of it. The goroutines that accept links and receive messages post what comes to it.
type Jobs struct {
	Own
	names *job.Names
	told  sync.WaitGroup // part.FollowAddresses

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
	far     netip.Addr            // of its supervisor; not valid: it is on this node
	refused string                // why no rank of this job can connect with it
	answers map[int]chan []string // for questions that are open, by number
}

// Own is the job of a supervisor.
type Own struct {
	Root    *job.Root
	Host    netip.Addr        // of its first node; not valid: of one node, its ranks are reached by any address
	Devices int               // of the network, by which its ranks are reached; 0: one
	Alone   error             // why it meets no others; nil: it does
	Post    func(func()) bool // has the supervisor run a function; false: it takes no more
	Until   context.Context   // ends when the memory is about to be closed

	// Spread has the nodes of the job note what was noted in Root. It is nil if that is the root block of the ranks.
	// Else the supervisor tells where these are reached (Tell).
	Spread func(part.News)
}

// ErrRecorded is Own.Alone of a job whose ranks are recorded.
var ErrRecorded = errors.New("ranks that are recorded (--trace) are not connected with others")

// New returns the jobs that a job has met: none yet.
func New(own Own, names *job.Names) *Jobs {
	own.Devices = max(own.Devices, 1)
	return &Jobs{Own: own, names: names, met: map[int]*otherJob{}, services: map[string]*os.File{}}
}

// note notes news of other jobs.
func (n *Jobs) note(news part.News) error {
	err := news.Note(n.Root)
	if err == nil && n.Spread != nil {
		n.Spread(news)
	}
	return err
}

// open has others find this job, and returns its number. It is not that of a job which is to be met; 0: there is none.
func (n *Jobs) open(other int) (int, error) {
	root := n.Root
	switch {
	case n.door != nil:
		return n.door.Number, nil
	case n.Alone != nil:
		return 0, n.Alone
	case job.Alone(root) || root.Ranks() > job.MostNumbered:
		return 0, fmt.Errorf("the job has room for %d ranks, and one that other jobs connect with for %d at most: use "+
			"fewer ranks, and pvasrun --universe N with a smaller N", root.Places(), job.MostNumbered)
	case root.Places() == root.Ranks():
		return 0, fmt.Errorf("the job has no room for ranks of others: use fewer ranks, or pvasrun --universe N "+
			"with N up to %d", job.MostNumbered)
	}
	door, err := Open(root.ID(), other)
	if err == nil {
		n.door = door
		err = n.note(part.News{Number: door.Number})
	}
	if err != nil {
		return 0, err
	}
	own := n.hello()
	go func() {
		for {
			l, err := door.Accept()
			if err != nil {
				return
			}
			go n.admit(l, own)
		}
	}()
	if door.far != nil {
		n.names.Reached(door.At)
		go door.serveFar(func(l *Link) { n.admit(l, own) })
	}
	if n.Spread == nil {
		n.told.Go(func() {
			// A job that is met meanwhile hears of all addresses in meet.
			part.FollowAddresses(n.Until, root, func(list []part.Address) {
				n.Post(func() { n.Tell(Message{Addresses: list}) })
			})
		})
	}
	return door.Number, nil
}

func (n *Jobs) hello() Hello {
	root := n.Root
	s := root.Settings()
	machine, _, _ := sys.Addresses() // without them the other job has the loopback alone
	return Hello{Version: job.LayoutVersion, ID: root.ID(), Number: root.JobNumber(), Pid: os.Getpid(),
		Key: root.Key(), Calls: fmt.Sprintf("--coll=%q --check=%v --encrypt=%v", s.Coll, s.Check, s.Encrypt),
		Devices: n.Devices, Host: n.Host, Machine: machine}
}

// Close ends all that others see of this job, when Own.Until has ended. No goroutine posts after that.
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

// admit greets another supervisor that has come.
func (n *Jobs) admit(l *Link, own Hello) {
	if other, err := l.greet(own, 0); err == nil {
		go n.follow(l, other, func(error) {})
	}
}

// follow posts what a link brings, to its end. met is called when the other job, which has greeted, is known, by the
// supervisor, or cannot be, with an error.
func (n *Jobs) follow(l *Link, other Hello, met func(error)) {
	defer l.Close()
	if !n.Post(func() {
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
			n.Post(func() { n.linkEnds(l, other.Number) })
			return
		}
		n.Post(func() { n.hear(l, other.Number, m) })
	}
}

// meet notes another job, and tells it the state of this one. The ranks of the other job follow in its first message.
func (n *Jobs) meet(l *Link, other Hello) error {
	if n.Until.Err() != nil { // the doors are closed
		return errEnded
	}
	root := n.Root
	if n.Host.IsValid() && other.Host.IsValid() && n.Host.IsLoopback() != other.Host.IsLoopback() ||
		l.from.IsValid() && (n.Host.IsLoopback() || other.Host.IsLoopback()) {
		return errors.New("the ranks of one of the jobs are reached on the loopback of a machine alone, those of the " +
			"other are not: start both with the same --network")
	}
	if n.Host.Is6() != other.Host.Is6() {
		return errors.New("the ranks of one of the jobs are reached by IPv6, those of the other by IPv4: start both " +
			"with the same --network, and a job on several nodes by IPv4 if the other is on one")
	}
	o := n.met[other.Number]
	again := o != nil && o.ID != other.ID
	if other.Number == root.JobNumber() || job.SameInNetwork(other.ID, root.ID()) ||
		again && (l.from.IsValid() || o.far.IsValid()) {
		return errors.New("the other job has the number of this one or of one that it has met, by chance: start it " +
			"again")
	}
	if again { // an earlier one of this node, which has ended
		n.jobEnds(o)
		o = nil
	}
	if o == nil {
		o = &otherJob{Hello: other, key: root.Key(), far: l.from, answers: map[int]chan []string{}}
		if other.Number < root.JobNumber() {
			o.key = other.Key
		}
		n.met[other.Number] = o
	}
	o.links = append(o.links, l)
	m := Message{Nodes: n.nodes()}
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

// nodes are those of the job's ranks.
func (n *Jobs) nodes() (list []int) {
	for rank := range n.Root.Ranks() {
		list = append(list, n.Root.Node(rank))
	}
	return list
}

// Grown tells other jobs of ranks that were added.
func (n *Jobs) Grown() { n.Tell(Message{Nodes: n.nodes()}) }

func (n *Jobs) endOf(rank int) End {
	return End{Rank: rank, Final: n.Root.State(rank) == job.StateFinal}
}

// hear notes what another job tells.
func (n *Jobs) hear(l *Link, number int, m Message) {
	o := n.met[number]
	if o == nil || !slices.Contains(o.links, l) || n.Until.Err() != nil {
		return
	}
	if m.Refused != "" {
		o.refused = m.Refused
	}
	if len(m.Nodes) > o.ranks {
		v := &job.Visitors{ID: o.ID, Number: number, Pid: o.Pid, First: o.ranks, Nodes: m.Nodes[o.ranks:], Key: o.key}
		if err := n.note(part.News{Visitors: v}); err != nil {
			o.refused = err.Error()
			l.Send(Message{Refused: "the other job cannot have the ranks of this one: " + o.refused})
			return
		}
		o.ranks = len(m.Nodes)
	}
	var at []part.Address
	for _, a := range m.Addresses {
		if rank, ok := n.visitor(number, a.Rank); ok {
			a.Rank, a.At = rank, n.reachable(o, a.At)
			at = append(at, a)
		}
	}
	if at != nil {
		_ = n.note(part.News{Addresses: at}) // only visitors find no room
	}
	for _, e := range m.Ends {
		n.visitorGone(number, e)
	}
	switch {
	case m.Ask != nil:
		l.Send(Message{Number: m.Number, Answer: n.answerOther(number, m.Ask)})
	case m.Answer != nil && o.answers[m.Number] != nil:
		o.answers[m.Number] <- m.Answer
		delete(o.answers, m.Number)
	}
}

// reachable returns by which addresses this job reaches a rank of the other one, which has told where it listens.
func (n *Jobs) reachable(o *otherJob, at []netip.AddrPort) []netip.AddrPort {
	at = slices.Clone(at)
	for i, a := range at {
		if a.Addr().IsUnspecified() {
			at[i] = netip.AddrPortFrom(n.addressOf(o), a.Port())
		}
	}
	return at
}

// addressOf returns an address of the other supervisor's machine, of IPv4 as its ranks listen there. If this job has
// nodes it is one in the network of the first, if there is one.
func (n *Jobs) addressOf(o *otherJob) netip.Addr {
	elsewhere := n.Host.IsValid() || o.far.IsValid()
	shared := func(p netip.Prefix) bool { return p.Contains(n.Host) }
	others := func(p netip.Prefix) bool { return elsewhere && p.Addr().Is4() && !p.Addr().IsLoopback() }
	if i := slices.IndexFunc(o.Machine, shared); i >= 0 {
		return o.Machine[i].Addr()
	}
	if o.far.Is4() {
		return o.far
	}
	if i := slices.IndexFunc(o.Machine, others); i >= 0 {
		return o.Machine[i].Addr()
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1})
}

// visitor returns the number here of a rank of the job with a number.
func (n *Jobs) visitor(number, rank int) (here int, ok bool) {
	here, ok = n.Root.Named(job.NameIn(number, rank))
	return here, ok && n.Root.Visits(here)
}

func (n *Jobs) visitorGone(number int, e End) {
	rank, ok := n.visitor(number, e.Rank)
	if !ok || n.Root.Gone(rank) {
		return
	}
	g := part.RankGone{Rank: rank, State: n.Root.State(rank)}
	if e.Final {
		g.State = job.StateFinal
	}
	_ = n.note(part.News{Gone: []part.RankGone{g}}) // as above
}

// linkEnds notes the end of a link. The end of the last one is that of the other job.
func (n *Jobs) linkEnds(l *Link, number int) {
	o := n.met[number]
	if o == nil || n.Until.Err() != nil {
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
