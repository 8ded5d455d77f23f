package comm

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/internal/msg/comm/agree"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// ConnectTime is how long Connect waits unless it is told otherwise.
const ConnectTime = time.Minute

// Connect connects to a port at which others accept, and returns the intercommunicator. It is collective; the port of
// the root counts. If nobody accepts within the time of the root, the error is ErrPort. bad, if it is not nil, is what
// is wrong with the arguments of this rank: all fail then.
//
// MPI 4.1 section 11.9.3 (MPI_Comm_connect).
func Connect(c *Comm, port string, root int, within time.Duration, bad error) (*Comm, error) {
	return c.connect("connect", root, bad, func() (job.Port, error) { return c.askAt(port) }, func(p job.Port,
		offer agree.Proposal) (m meeting, theirs agree.Proposal, err error) {
		err = c.engine.Send(partitioned.of(meetID), p.Rank, p.Number, nil, pml.Standard)
		if err != nil {
			return m, theirs, err
		}
		t := c.with(p.Rank, grouping.of(meetID), p.Number)
		if err = c.awaitOffer(t, p, port, within); err == nil {
			theirs, err = t.Hear(0)
		}
		if err == nil && theirs.Call.Is(agree.CallOf(closePort)) {
			err = fmt.Errorf("%w: it was closed before this rank was accepted", ErrPort)
		}
		if err != nil {
			return m, theirs, err
		}
		m = meeting{of: c, rank: p.Rank, number: int(theirs.Key & (mostMeetings - 1))}
		out, _ := m.ends()
		return m, theirs, out.Tell(0, offer)
	})
}

// awaitOffer waits until the rank of a port answers. When the time is over it withdraws the request. If that comes too
// late the answer is on its way, and awaitOffer returns nil.
func (p *process) awaitOffer(t agree.Circle, at job.Port, name string, within time.Duration) error {
	came, err := t.Await(within, job.Collective{Name: "connect", Communicator: t.Name()})
	if came || err != nil {
		return err
	}
	request := []string{job.AskWithdraw, name}
	if at.Job != p.root.ID() {
		request = []string{job.AskLeave, name, strconv.Itoa(p.number)}
	}
	texts, err := p.root.Ask(p.number, request...)
	if err == nil && !slices.Contains(texts, job.Withdrawn) {
		return nil
	}
	return fmt.Errorf("%w: nobody has accepted this rank within %v (in C the hint %s sets the seconds)",
		ErrPort, within, timeoutHint)
}

// timeoutHint is the key of the hint of Connect.
const timeoutHint = "timeout"

// TimeToConnect is the time that hints give Connect.
func TimeToConnect(hints *Info) (time.Duration, error) {
	const most = 1e9
	if hints == nil {
		return ConnectTime, nil
	}
	text, given := hints.Get(timeoutHint)
	if !given {
		return ConnectTime, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(seconds > 0 && seconds <= most) {
		return 0, fmt.Errorf("the hint %s is %q: pass a number of seconds, more than 0", timeoutHint, text)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// ErrOtherJob means that a process of another job was to be joined, and one of the two cannot be reached.
var ErrOtherJob = errors.New("the other process is of another job, and these jobs cannot be connected: " +
	"start both processes by pvasrun, on one node")

// JoinSocket returns the intercommunicator of two processes that have the ends of a socket; self is Comm.Self. Each
// sends the other the name of a port, and a line break.
//
// MPI 4.1 section 11.10.5 (MPI_Comm_join).
func JoinSocket(self *Comm, fd int) (*Comm, error) {
	const op = "join"
	mine, err := OpenPort(self)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ClosePort(self, mine) }()
	theirs, err := self.swapLines(fd, mine, job.Waiting{Op: job.OpWait, Context: self.context, Others: true,
		Collective: job.Collective{Name: "the other end of the socket", Communicator: self.Name()}})
	if err != nil {
		return nil, Wrap(op, err)
	}
	p, err := job.ParsePort(theirs)
	own, _ := job.ParsePort(mine)
	switch {
	case err != nil:
		return nil, Wrap(op, err)
	case p.Job != own.Job && (p.Of == 0 || own.Of == 0):
		return nil, Wrap(op, ErrOtherJob)
	case p.Job < own.Job || p.Job == own.Job && p.Rank < own.Rank:
		return Connect(self, theirs, 0, ConnectTime, nil)
	}
	from, err := self.atPort(p)
	if err != nil {
		return nil, Wrap(op, err)
	}
	return self.accept(mine, 0, from, nil)
}

// swapLines sends a line over a socket, and receives one. It waits as for a message, and another goroutine for the
// socket: so the hang report names the call, and messages of the rank move on. It ends when the other end is closed, by
// the end of its process at the latest.
func (p *process) swapLines(fd int, line string, say job.Waiting) (string, error) {
	f, err := sys.DupCloexec(fd, "socket")
	if err != nil {
		return "", fmt.Errorf("descriptor %d: %w", fd, err)
	}
	defer f.Close()
	var over atomic.Bool
	var got string
	var failed error
	signalled := make(chan struct{}) // closed when the goroutine no longer uses the inbox, whose memory may go
	go func() {
		defer close(signalled)
		got, failed = swapLines(f, line)
		over.Store(true)
		p.root.Inbox(p.number).Notify()
	}()
	if err = pml.MayWait(); err == nil {
		err = p.engine.NewCondition(over.Load, func() job.Waiting { return say }).Wait()
	}
	if err != nil {
		sys.StopSocket(f) // MPI is over, and so is the wait
	}
	<-signalled
	return got, cmp.Or(err, failed)
}

func swapLines(f *os.File, line string) (string, error) {
	for rest := []byte(line + "\n"); len(rest) > 0; {
		n, err := sys.SendWithFiles(f, rest, nil) // which a broken connection ends without a signal
		if err != nil {
			return "", err
		}
		rest = rest[n:]
	}
	var got []byte
	for b := []byte{0}; len(got) <= maxLine; got = append(got, b[0]) {
		if _, err := io.ReadFull(f, b); err != nil {
			return "", fmt.Errorf("the other process has not answered: %w", err)
		}
		if b[0] == '\n' {
			return string(got), nil
		}
	}
	return "", errors.New("the other process has not sent the name of a port")
}

// maxLine is the longest name of a port.
const maxLine = 1024

// PublishName publishes a port by the name of a service, for LookupName. Jobs of the user find it if they
// can reach the port. MPI 4.1 section 11.9.4 (MPI_Publish_name).
func PublishName(world *Comm, service, port string) error {
	_, err := world.ask("publish name", job.AskPublish, service, port)
	return err
}

// UnpublishName withdraws it. MPI 4.1 section 11.9.4 (MPI_Unpublish_name).
func UnpublishName(world *Comm, service, port string) error {
	_, err := world.ask("unpublish name", job.AskUnpublish, service, port)
	return err
}

// LookupName returns the port of a service. MPI 4.1 section 11.9.4 (MPI_Lookup_name).
func LookupName(world *Comm, service string) (port string, err error) {
	texts, err := world.ask("lookup name", job.AskLookup, service)
	if errors.Is(err, ErrName) {
		if port, other := job.PublishedElsewhere(service); other == nil {
			return port, nil
		}
	}
	if err != nil {
		return "", err
	}
	return texts[0], nil
}
