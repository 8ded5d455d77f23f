package comm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/comm/agree"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// openPorts are the ports that this process has open.
//
// A rank that connects has the supervisor count its request, then sends a message to the rank that has opened the port.
// A rank that accepts receives the message, then has the supervisor take the request off the count. A rank that has
// waited for too long withdraws its request likewise. So it is accepted or it has withdrawn: the supervisor does one
// after the other. The message of a request that was withdrawn stays. The accept that finds it gets none for it, or
// a later request of the same rank, and goes on to the next message. ClosePort gets the count, and refuses the requests
// that are left. Their messages may come later: no other port has their tag.
//
// Other threads may accept at a port while it is closed: the close sends each of them a message, from the rank itself.
type openPorts struct {
	mu       sync.Mutex
	open     map[int]*openPort // by number
	meetings int               // see meeting

	// unreached says why other jobs cannot connect to a port without a number of the job. A deadlock in Accept may come
	// of it.
	unreached atomic.Pointer[string]
}

// openPort is a port that this process has open.
type openPort struct {
	accepts int // how many wait for a message
}

func (o *openPorts) add(port int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open == nil {
		o.open = map[int]*openPort{}
	}
	o.open[port] = new(openPort)
}

// own is the error of a rank that connects to a port of its own.
func (o *openPorts) own(port int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open[port] == nil {
		return fmt.Errorf("%w: this rank has closed it, or not opened it", ErrPort)
	}
	return fmt.Errorf("%w: the rank that connects has opened it: connect from another one", ErrPort)
}

// await notes that an accept waits for a message. It tells whether the port is open.
func (o *openPorts) await(port int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.open[port]
	if p == nil {
		return false
	}
	p.accepts++
	return true
}

// came ends the wait that await has noted. It returns the number of the meeting, and whether the port is open.
func (o *openPorts) came(port int) (number int, open bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.open[port]
	if p == nil {
		return 0, false
	}
	p.accepts--
	o.meetings = (o.meetings + 1) % mostMeetings
	return o.meetings, true
}

// meeting is what two roots do together at a port. Several threads of each root may use one port at the same time. So
// any thread can take the first two messages: the request of the root that connects, and the answer of the one that
// accepts. The key of the answer is the number of the meeting, which the accepting root has chosen. The tags of all
// later messages follow from the number: odd to the accepting root, even from it, as each root may accept the other.
type meeting struct {
	of      *Comm
	rank    int // of the other root
	number  int
	accepts bool // this root has accepted the other one
}

const mostMeetings = 1 << 20 // at a time, a power of two; after as many numbers are used again

// ends are the circles in which this root tells the other one, and hears it.
func (m *meeting) ends() (out, in agree.Circle) {
	even := m.of.with(m.rank, agreement.of(meetID), 2*m.number)
	odd := m.of.with(m.rank, agreement.of(meetID), 2*m.number+1)
	if m.accepts {
		return even, odd
	}
	return odd, even
}

// OpenPort returns the name of a port at which this rank can accept. MPI 4.1 section 11.9.2 (MPI_Open_port).
//
// Ranks of other jobs of the user can connect to it. They need the pvasrun of both jobs: a port of a job
// without one has 0 as job.Port.Of.
func OpenPort(world *Comm) (string, error) {
	const op = "open port"
	if err := world.usable(); err != nil {
		return "", Wrap(op, err)
	}
	number, err := world.reachable()
	if err != nil {
		number = "0"
		why := "open port: no other job can connect: " + causeOf(err)
		world.opened.unreached.Store(&why)
	}
	texts, err := world.ask(op, job.AskOpenPort, number)
	if err != nil {
		return "", err
	}
	p, err := job.ParsePort(texts[0])
	if err != nil {
		return "", Wrap(op, err)
	}
	world.opened.add(p.Number)
	world.engine.Explain(partitioned.of(meetID), explainAccept)
	return texts[0], nil
}

// explainAccept says of the wait for a request what it is. Its tag is the number of a port, which no user knows.
func explainAccept(w *job.Waiting) {
	if w.Op == job.OpProbe {
		w.Call, w.Tag = "accept", pml.AnyTag
	}
}

// reachable has the job be one that others can reach, and returns its number.
func (p *process) reachable() (number string, err error) {
	if err = world.attendant.Call(); err != nil {
		return "", err
	}
	texts, err := p.root.Ask(p.number, job.AskNumber)
	if err != nil {
		return "", err
	}
	return texts[0], p.openVisits()
}

// causeOf is the text of an error of reachable.
func causeOf(err error) string { return strings.TrimPrefix(err.Error(), ErrPort.Error()+": ") }

const closePort = "close port"

// ClosePort closes a port. Ranks that wait there and were not accepted get ErrPort, as do threads of this one that
// accept there. MPI 4.1 section 11.9.2 (MPI_Close_port).
func ClosePort(world *Comm, port string) error {
	if err := world.usable(); err != nil {
		return Wrap(closePort, err)
	}
	p, err := job.ParsePort(port)
	if err == nil && p.Job == world.root.ID() && p.Rank != world.group.self {
		err = fmt.Errorf("%w by this rank: rank %d has opened it", ErrPort, p.Rank)
	}
	if err != nil {
		return Wrap(closePort, err)
	}
	o := &world.opened
	o.mu.Lock()
	defer o.mu.Unlock()
	asked, err := world.root.Ask(world.group.self, job.AskClosePort, port)
	if err == nil {
		err = world.turnAway(p, asked)
	}
	return Wrap(closePort, err)
}

// turnAway ends the accepts that wait at a port. Then it refuses those that ask there, as AskClosePort tells.
func (c *Comm) turnAway(at job.Port, asked []string) error {
	port := c.opened.open[at.Number]
	delete(c.opened.open, at.Number)
	for range port.accepts {
		if err := c.engine.Send(partitioned.of(meetID), c.number, at.Number, nil, pml.Standard); err != nil {
			return err
		}
	}
	no := agree.Proposal{Call: agree.CallOf(closePort), Refused: true}
	for i := 0; i+1 < len(asked); i += 2 {
		rank, _ := strconv.Atoi(asked[i]) // never fails, nor does the next: Names has written it
		times, _ := strconv.Atoi(asked[i+1])
		for range times {
			err := c.with(rank, grouping.of(meetID), at.Number).Tell(0, no)
			if err != nil && !isLost(err) {
				return err
			}
		}
	}
	return nil
}

// ask makes a request that is answered by one text at least.
func (c *Comm) ask(op string, request ...string) ([]string, error) {
	if err := c.usable(); err != nil {
		return nil, Wrap(op, err)
	}
	texts, err := c.root.Ask(c.group.self, request...)
	if err == nil && len(texts) == 0 {
		err = errors.New("pvasrun has given no answer")
	}
	return texts, Wrap(op, err)
}

// ownPort returns the open port of this name, which this rank has opened.
func (p *process) ownPort(name string) (at job.Port, err error) {
	if at, err = job.ParsePort(name); err != nil {
		return at, err
	}
	if at.Job != p.root.ID() || at.Rank != p.number {
		return at, fmt.Errorf("%w: another rank has opened it, and that one accepts", ErrPort)
	}
	_, err = p.root.Ask(p.number, job.AskPort, name)
	return at, err
}

// askAt has this rank counted as one that asks at the open port of this name, which it returns. Its rank, if it is of
// another job, is the number of the visitor here.
func (p *process) askAt(name string) (at job.Port, err error) {
	if at, err = job.ParsePort(name); err != nil {
		return at, err
	}
	if at.Job == p.root.ID() {
		if at.Rank == p.number {
			return at, p.opened.own(at.Number)
		}
		_, err = p.root.Ask(p.number, job.AskConnect, name)
		return at, err
	}
	if at.Of == 0 {
		return at, fmt.Errorf("%w: it is one of another job, which cannot be reached: it has no pvasrun, is recorded, "+
			"or has no room for ranks of others", ErrPort)
	}
	if _, err = p.reachable(); err != nil {
		return at, fmt.Errorf("%w: this job cannot reach others: %s", ErrPort, causeOf(err))
	}
	if _, err = p.root.Ask(p.number, job.AskMeet, name, strconv.Itoa(p.number)); err != nil {
		return at, err
	}
	at.Rank, err = p.visitor(at)
	return at, err
}

// Accept waits until somebody connects to a port that the root has opened, and returns the intercommunicator. It is
// collective; the port of the root counts. bad, if it is not nil, is what is wrong with the arguments of this rank: all
// fail then.
//
// MPI 4.1 section 11.9.2 (MPI_Comm_accept).
func Accept(c *Comm, port string, root int, bad error) (*Comm, error) {
	return c.accept(port, root, pml.AnySource, bad)
}

// accept is Accept for what one rank asks, or AnySource.
func (c *Comm) accept(port string, root, from int, bad error) (*Comm, error) {
	return c.connect("accept", root, bad, func() (job.Port, error) { return c.ownPort(port) }, func(p job.Port,
		offer agree.Proposal) (meeting, agree.Proposal, error) {
		if why := c.opened.unreached.Load(); p.Of == 0 && why != nil {
			defer c.engine.NoteRefusal(why)()
		}
		for {
			m, err := c.awaitRequest(p, from)
			if m.of = c; err != nil {
				return m, agree.Proposal{}, err
			}
			if took, err := c.take(p, m.rank); err != nil || !took {
				if err != nil {
					return m, agree.Proposal{}, err
				}
				continue
			}
			offer.Key = int64(m.number)
			_, in := m.ends()
			in.Explain(offer.Call.Name)
			var theirs agree.Proposal
			if err = c.with(m.rank, grouping.of(meetID), p.Number).Tell(0, offer); err == nil {
				theirs, err = in.Hear(0)
			}
			if !isLost(err) {
				return m, theirs, err
			}
		}
	})
}

// awaitRequest waits until somebody asks at a port.
func (p *process) awaitRequest(at job.Port, from int) (meeting, error) {
	closed := fmt.Errorf("%w: it was closed meanwhile", ErrPort)
	if !p.opened.await(at.Number) {
		return meeting{}, closed
	}
	m, st, err := p.engine.Mprobe(partitioned.of(meetID), from, at.Number)
	if err == nil {
		_, err = p.engine.Mrecv(&m, Bytes(nil))
	}
	number, open := p.opened.came(at.Number)
	if err == nil && !open {
		err = closed
	}
	return meeting{rank: st.Source, number: number, accepts: true}, err
}

// take accepts a request of a rank, unless that has withdrawn it.
func (p *process) take(at job.Port, rank int) (bool, error) {
	texts, err := p.root.Ask(p.number, job.AskTake, at.String(), strconv.Itoa(rank))
	return err == nil && slices.Contains(texts, job.Withdrawn), err
}

// connect is Accept and Connect. find and then meet are called by the root.
func (c *Comm) connect(op string, root int, bad error, find func() (job.Port, error),
	meet func(job.Port, agree.Proposal) (meeting, agree.Proposal, error)) (_ *Comm, err error) {
	if err := c.enter(op); err != nil {
		return nil, Wrap(op, err)
	}
	defer leave(c, op, &err)
	var p job.Port
	_, err = c.rootDoes(op, root, bad, func() (_ []string, err error) {
		p, err = find()
		return nil, err
	})
	if err != nil {
		return nil, Wrap(op, err)
	}
	var m meeting
	n, err := c.joinRemote(op, root, nil, func(offer agree.Proposal, round int) (theirs agree.Proposal, err error) {
		if round == 0 {
			m, theirs, err = meet(p, offer)
			return theirs, err
		}
		return m.again(offer)
	})
	if c.othersFail(err) && !errors.Is(err, ErrPort) { // as an error of the port: %v, not %w
		err = fmt.Errorf("%w: it was closed, or those at one end have failed, or ended: %v", ErrPort, err)
	}
	return n, Wrap(op, err)
}

// again exchanges one more proposal with the other root. The one that has connected begins.
func (m *meeting) again(offer agree.Proposal) (theirs agree.Proposal, err error) {
	out, in := m.ends()
	in.Explain(offer.Call.Name)
	if !m.accepts {
		err = out.Tell(0, offer)
	}
	if err == nil {
		theirs, err = in.Hear(0)
	}
	if err == nil && m.accepts {
		err = out.Tell(0, offer)
	}
	return theirs, err
}

// atPort returns the number that the rank of a port has here.
func (p *process) atPort(at job.Port) (rank int, err error) {
	if at.Job == p.root.ID() {
		return at.Rank, nil
	}
	if _, err := p.root.Ask(p.number, job.AskName, strconv.Itoa(at.Of)); err != nil {
		return 0, err
	}
	return p.visitor(at)
}

// visitor is atPort for a rank of a job that this one has met.
func (p *process) visitor(at job.Port) (rank int, err error) {
	rank, ok := p.root.Named(job.NameIn(at.Of, at.Rank))
	if !ok || !p.root.Visits(rank) {
		return 0, fmt.Errorf("%w: its job has no such rank", ErrPort)
	}
	return rank, nil
}
