package job

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"sync"
)

// Names are the open ports of a job and the names that they are published by. The supervisor keeps them; a job of one
// rank keeps its own until it has a supervisor.
type Names struct {
	mu    sync.Mutex
	over  bool // to the supervisor: see handOver
	last  int
	at    []netip.AddrPort
	ports map[string]openPort
	names map[string]published
	ends  map[int]string // by the number of a world that ranks have started: how its first rank to end has ended
}

// openPort is a port of the job.
type openPort struct {
	rank  int         // that has opened it
	asked map[int]int // how many requests of a rank to connect there are
}

type published struct {
	port string
	rank int
}

// Requests to Names. Each has the arguments of its method.
const (
	AskPublish   = "publish"    // service, port
	AskUnpublish = "unpublish"  // service, port
	AskLookup    = "lookup"     // service
	AskOpenPort  = "open port"  // the number of the job, 0: no other job can connect
	AskClosePort = "close port" // port; the answer: ranks that still ask to connect, each with how often
	AskPort      = "port"       // port: is it open?
	AskConnect   = "connect"    // port: the rank is noted as one that asks there
	AskWithdraw  = "withdraw"   // port: the rank asks there no more, if the answer is Withdrawn
	AskTake      = "take"       // port, rank: the rank is accepted if the answer is Withdrawn: it asks there no more
	AskEnd       = "end"        // number of a world: which of its ranks has ended first, and how; "": none

	// These are requests to the supervisor. AskSpawn: see Command. AskNumber is for a number of the job, by which
	// others can connect; AskMeet is AskConnect for a port of another job, and has its ranks known here; AskLeave is
	// AskWithdraw for one; AskName is for the ranks of a job with a number.
	AskSpawn  = "spawn"
	AskRefill = "refill" // see Instead
	AskNumber = "number"
	AskMeet   = "meet"  // port, the rank
	AskLeave  = "leave" // port, the rank
	AskName   = "name"  // number
)

// Withdrawn is the answer to AskWithdraw and AskTake if the rank was among those that ask at the port.
const Withdrawn = "withdrawn"

// Handle answers a request of a rank, as Root.Ask returns it; ok is false if it is not one for Names.
func (n *Names) Handle(id uint64, rank int, request []string) (answer []string, ok bool) {
	arg := func(i int) string {
		if i < len(request) {
			return request[i]
		}
		return ""
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over {
		return nil, false
	}
	var text string
	var err error
	switch arg(0) {
	case AskPublish:
		err = n.publish(rank, arg(1), arg(2))
	case AskUnpublish:
		err = n.unpublish(arg(1), arg(2))
	case AskLookup:
		p, known := n.names[arg(1)]
		if text = p.port; !known {
			err = refusal(ErrName, "no service is published as %.100q", arg(1))
		}
	case AskOpenPort:
		number, _ := strconv.Atoi(arg(1))
		p := Port{Job: id, Of: number, Rank: rank}
		if number > 0 {
			p.At = n.at
		}
		text = n.open(p)
	case AskClosePort:
		if err = n.check(arg(1)); err == nil {
			return Grant(n.close(arg(1))...), true
		}
	case AskPort:
		err = n.check(arg(1))
	case AskConnect:
		if err = n.check(arg(1)); err == nil {
			n.ports[arg(1)].asked[rank]++
		}
	case AskWithdraw:
		text = n.withdraw(arg(1), rank)
	case AskTake:
		asks, _ := strconv.Atoi(arg(2)) // never fails: see comm
		text = n.withdraw(arg(1), asks)
	case AskEnd:
		number, _ := strconv.Atoi(arg(1)) // 0 is the first world, of which nothing is noted
		text = n.ends[number]
	default:
		return nil, false
	}
	if err != nil {
		return Refuse(err), true
	}
	return Grant(text), true
}

// Reached notes where the supervisor is reached from other nodes. The names of ports have that from now on.
func (n *Names) Reached(at []netip.AddrPort) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.at = at
}

// handOver tells another keeper all, once: it makes the same requests. From then on the other one handles them. Threads
// that make a request meanwhile wait, so none is handled here and not told.
func (n *Names) handOver(ask func(request ...string) ([]string, error)) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over {
		return nil
	}
	for range n.last { // the numbers of ports are those that they have here
		texts, err := ask(AskOpenPort)
		if err != nil {
			return err
		}
		if _, open := n.ports[texts[0]]; open {
			continue
		}
		if _, err := ask(AskClosePort, texts[0]); err != nil {
			return err
		}
	}
	for service, p := range n.names {
		if _, err := ask(AskPublish, service, p.port); err != nil {
			return err
		}
	}
	n.over = true
	return nil
}

func (n *Names) publish(rank int, service, port string) error {
	if p, known := n.names[service]; known {
		return refusal(ErrService, "%.100q is published already, by rank %d", service, p.rank)
	}
	if n.names == nil {
		n.names = map[string]published{}
	}
	n.names[service] = published{port, rank}
	return nil
}

func (n *Names) unpublish(service, port string) error {
	p, known := n.names[service]
	if !known || port != "" && p.port != port {
		return refusal(ErrService, "no service is published as %.100q with this port in this job", service)
	}
	delete(n.names, service)
	return nil
}

func (n *Names) open(p Port) string {
	if n.ports == nil {
		n.ports = map[string]openPort{}
	}
	n.last++
	p.Number = n.last
	port := p.String()
	n.ports[port] = openPort{p.Rank, map[int]int{}}
	return port
}

// withdraw takes off a request of a rank at a port, if it has one.
func (n *Names) withdraw(port string, rank int) string {
	p, open := n.ports[port]
	if !open || p.asked[rank] == 0 {
		return ""
	}
	p.asked[rank]--
	return Withdrawn
}

// close returns who asks at a port.
func (n *Names) close(port string) (asked []string) {
	for rank, times := range n.ports[port].asked { // 0 times, perhaps
		asked = append(asked, strconv.Itoa(rank), strconv.Itoa(times))
	}
	delete(n.ports, port)
	return asked
}

func (n *Names) check(port string) error {
	if _, known := n.ports[port]; !known {
		return refusal(ErrPort, "%.100q is not open: its rank has closed it, has ended, or never opened it", port)
	}
	return nil
}

// Gone closes what a rank that has ended has left open. It also notes how a rank of w has ended that others have
// started.
func (n *Names) Gone(rank int, w World, how string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, known := n.ends[w.Number]; w.Parent >= 0 && !known {
		if n.ends == nil {
			n.ends = map[int]string{}
		}
		n.ends[w.Number] = how
	}
	for port, by := range n.ports {
		if by.rank == rank {
			delete(n.ports, port)
		}
	}
	for service, p := range n.names {
		if p.rank == rank {
			delete(n.names, service)
		}
	}
}

// Port is where a rank accepts others.
type Port struct {
	Job          uint64 // Root.ID
	Of           int    // the number of the job, 0: it is for ranks of the job alone
	Rank, Number int    // the rank that has opened it, and which of the job's ports it is

	At []netip.AddrPort // of the supervisor, for other nodes
}

// String is the name of the port.
func (p Port) String() string {
	name := fmt.Sprintf("gopvas:%x:%d:%d:%d", p.Job, p.Of, p.Rank, p.Number)
	for i, a := range p.At {
		name += ":,"[min(i, 1):min(i, 1)+1] + a.String()
	}
	return name
}

// ParsePort is the contrary of Port.String. No other spelling is the name of a port.
func ParsePort(name string) (p Port, err error) {
	bad := refusal(ErrPort, "%.100q is no name of a port: pass one that OpenPort (in C MPI_Open_port) has returned",
		name)
	parts := strings.SplitN(name, ":", 6)
	if len(parts) < 5 || parts[0] != "gopvas" {
		return p, bad
	}
	id, err := strconv.ParseUint(parts[1], 16, 64)
	if err != nil {
		return p, bad
	}
	p.Job = id
	for i, to := range []*int{&p.Of, &p.Rank, &p.Number} {
		n, err := strconv.ParseUint(parts[2+i], 10, 31)
		if err != nil {
			return Port{}, bad
		}
		*to = int(n)
	}
	if len(parts) == 6 {
		for text := range strings.SplitSeq(parts[5], ",") {
			at, err := netip.ParseAddrPort(text)
			if err != nil {
				return Port{}, bad
			}
			p.At = append(p.At, at)
		}
	}
	if p.String() != name {
		return Port{}, bad
	}
	return p, nil
}

// What a request to the supervisor may be refused for.
var (
	ErrSpawn   = errors.New("the processes were not started")
	ErrPort    = errors.New("the port is not open")
	ErrService = errors.New("the service cannot be published or withdrawn")
	ErrName    = errors.New("nothing is published by the name")
)

// refusals are named by their places in answers.
var refusals = []error{ErrSpawn, ErrPort, ErrService, ErrName}

func refusal(kind error, format string, args ...any) error {
	return fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...))
}

// Grant is an answer. Its first text says that it is no refusal.
func Grant(texts ...string) []string { return append([]string{""}, texts...) }

// Refuse is the answer for an error. One of another kind is ErrSpawn.
func Refuse(err error) []string {
	for i, kind := range refusals {
		if errors.Is(err, kind) {
			return []string{strconv.Itoa(i), strings.TrimPrefix(err.Error(), kind.Error()+": ")}
		}
	}
	return []string{"0", err.Error()}
}

// Granted returns what an answer grants, or the error for which it refuses, and what was said beside that.
func Granted(answer []string) ([]string, error) {
	if len(answer) > 0 && answer[0] == "" {
		return answer[1:], nil
	}
	if len(answer) < 2 {
		return nil, refusal(ErrSpawn, "pvasrun has given no answer")
	}
	kind, err := strconv.Atoi(answer[0])
	if err != nil || uint(kind) >= uint(len(refusals)) {
		kind = 0
	}
	return answer[2:], refusal(refusals[kind], "%s", answer[1])
}
