package part

import (
	"net/netip"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/symbol"
)

// A Part is what a node has of a job on several: the leader fills it in, and its agent the channels. The supervisor
// of the node runs it as a job. In a job of one node there is none; the
// methods that only read return zeros then.
type Part struct {
	Name          string // of the node, as the user has written it
	Node          int    // its number
	Ranks         []int  // the numbers in the job of its ranks, ascending; those that are added, too
	Nodes         []int  // node by rank, of all ranks that the job begins with
	AllNodes      int    // how many there are, with those that are idle
	Places        int    // how many ranks the job has room for
	Universe      int    // see job.Root.Universe
	Devices       []netip.Addr
	Key           job.Key
	CPUs          int               // of all nodes
	Images        map[string][]byte // programs that the leader has sent, by App.Program
	ReportDevices bool              // at the end

	// Orders are the leader's. The supervisor obeys one at a time.
	Orders chan Order
	// Tell tells the leader something, and does not wait.
	Tell func(Note)
}

// An Order is an order to the supervisor of a part.
type Order struct {
	News
	Signal    syscall.Signal
	End, Kill bool       // the ranks: with time to end in order, or none
	Hang      bool       // say what the ranks wait for
	Look      uint32     // begin this look, and say what comes of it; 0: do not
	Answer    []string   // to the request that a rank of the node has made
	Late      *Late      // take this step
	Links     *job.World // say whether a rank of the node links the world to others
	EndWorld  *job.World // its ranks alone
	Dismiss   bool       // no rank lives, and none is added
}

// News are what all nodes of a job note in their root blocks, in the same order.
type News struct {
	Number    int           // of the job among others; 0: nothing is said
	Visitors  *job.Visitors // from now on
	Addresses []Address     // of ranks elsewhere
	Gone      []RankGone
}

// Note notes them in a root block. The error says that there is no room for the visitors.
func (n *News) Note(root *job.Root) error {
	if n.Number != 0 {
		root.SetJobNumber(n.Number)
	}
	if n.Visitors != nil {
		if err := root.AddVisitors(*n.Visitors); err != nil {
			return err
		}
	}
	for _, a := range n.Addresses {
		a.Note(root, a.Rank)
	}
	for _, g := range n.Gone {
		root.SetState(g.Rank, g.State)
		root.MarkGone(g.Rank)
	}
	return nil
}

// A Note is news of a part.
type Note struct {
	Addresses []Address // of its ranks
	Ended     *RankEnd
	Doing     *Doing
	Waiting   *Waits
	Request   *Request
	Late      *LateDone
	Links     *Links // answers Order.Links
	Killed    bool   // killed processes are waited for once more, as long as they come nearer to their ends
}

// Links says whether a node links a world to others. It is no pointer to a bool, nor is Waits to a number: gob sends no
// pointer to a zero.
type Links struct{ Any bool }

// Waits is how many ranks have waited for long now.
type Waits struct{ Ranks int }

// A Request is what a rank asks the supervisor for: see job.Root.Ask.
type Request struct {
	Rank  int
	Texts []string
}

// An Address is where a rank is reached, by device, and whether it receives no more: see job.Root.EndReceives.
type Address struct {
	Rank int
	At   []netip.AddrPort
	Ends bool
}

// A RankGone is a rank of any node that has ended, and how far it had come.
type RankGone struct {
	Rank  int
	State job.State
}

// A RankEnd is how a rank has ended.
type RankEnd struct {
	Rank, Pid int
	State     job.State
	Status    syscall.WaitStatus
}

// Doing answers the question what the ranks do. At the end it has their records alone.
type Doing struct {
	Records []job.Record
	Pids    []int          // 0: not started
	Stopped []bool         // by a signal
	Places  []symbol.Place // of the calls in which ranks wait
	Look    uint32         // the answers are to this look; 0: to none
	Watched bool           // a rank is stopped, or looked at by a debugger
}

// Next is Orders, of which none come in a job of one node.
func (p *Part) Next() <-chan Order {
	if p == nil {
		return nil
	}
	return p.Orders
}

// Describe completes the description of the job's memory.
func (p *Part) Describe(c *job.Config) {
	if p != nil {
		c.Nodes, c.Node, c.Host, c.Devices = p.Nodes, p.Node, p.Devices[0], p.Devices
		c.Key, c.AllNodes, c.AllCPUs, c.Places, c.Universe = p.Key, p.AllNodes, p.CPUs, p.Places, p.Universe
	}
}

// Idle tells whether this is a node where no rank is yet.
func (p *Part) Idle() bool { return p != nil && len(p.Ranks) == 0 }

// Leads tells whether rank 0 is on the node.
func (p *Part) Leads() bool { return p == nil || !p.Idle() && p.Ranks[0] == 0 }

// Readers says who reads the input of a job: the rank with this number, or all.
type Readers int

// AllReaders are all ranks that the job begins with.
const AllReaders Readers = -1

// Has tells whether a rank is among them, by its number in a job that begins with total ranks.
func (r Readers) Has(rank, total int) bool { return int(r) == rank || r == AllReaders && rank < total }

// Image is a program that the leader has sent, nil if it has not.
func (p *Part) Image(program string) []byte {
	if p == nil {
		return nil
	}
	return p.Images[program]
}

// Prefix is the beginning of the supervisor's messages.
func (p *Part) Prefix() string {
	if p == nil {
		return ""
	}
	return p.Name + ": "
}

// Number returns the number in the job of a rank here. A supervisor counts its own from 0.
func (p *Part) Number(rank int) int {
	if p == nil {
		return rank
	}
	return p.Ranks[rank]
}
