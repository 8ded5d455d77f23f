package cluster

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"github.com/gopvas/gopvas/launcher"
)

// Nodes says where a job on several nodes runs, and how it gets there.
type Nodes struct {
	Hosts   []Host
	ByNode  bool          // ranks are dealt one at a time to each host in turn; else hosts are filled one after another
	Of      []int         // the number of the host of each rank, instead; nil: they are dealt
	Shell   []string      // starts a command on a node, called as: Shell... HOST COMMAND; nil: ssh, or srun
	Slurm   bool          // start by srun, in the allocation that this process is in
	Network netip.Prefix  // the nodes' addresses for messages are in it; not valid: chosen
	Devices []string      // for messages, by name or network; nil: one in each network that all nodes are in
	Timeout time.Duration // a node that is silent for this long is lost; 0: DefaultNodeTimeout
	// StartTime is how long the start of an agent may take; 0: startTime, or less: see remote.greeted.
	StartTime time.Duration
	// ReportDevices has each node report the use of its devices at the end.
	ReportDevices bool
	Preload       bool // send the programs; else they must be on every node under the same path

	// Instruments are the names of those that every node gets: see NodeMain. Before the ranks
	// start Measuring is called with the nodes, the node of each rank, and the leader's monotonic
	// clock; an error ends the job. Measured is called for the output of the instruments, one call
	// after another. Both are needed if there are instruments.
	Instruments []string
	Measuring   func(nodes []NodeInfo, node []int, now time.Duration) error `json:"-"`
	Measured    func(Piece)                                                 `json:"-"`
	// Attach is by name, for RunPMI, whose processes may be agents.
	Attach map[string]Instrument `json:"-"`

	joined map[int]*joined // by number of the node: its agent connects by itself, see RunPMI
}

// DefaultNodeTimeout is how long a node may be silent.
const DefaultNodeTimeout = 5 * time.Second

// startTime is how long the start of an agent may take.
const startTime = 30 * time.Second

// Check returns an error if the hosts do not take that many ranks.
func (n *Nodes) Check(ranks int) error {
	for _, name := range n.Devices {
		if err := deviceMistake(name); err != nil {
			return err
		}
	}
	_, err := Deal(n.Hosts, ranks)
	return err
}

// deviceMistake says what is wrong with what names no device on any node.
func deviceMistake(name string) error {
	if name == "" {
		return errors.New("launcher: devices: a name is empty: leave out a comma too many")
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return fmt.Errorf("launcher: devices: %s is an address, which one node has: name the network that the nodes "+
			"are in, such as 10.1.0.0/16, or the device", name)
	}
	if _, err := netip.ParsePrefix(name); err != nil && strings.Contains(name, "/") {
		return fmt.Errorf("launcher: devices: %s is no network: write for example 10.1.0.0/16", name)
	}
	return nil
}

// An Instrument watches the ranks of one node in a job on several. It completes the description
// of the node's part of the job, which has not begun. Its output gets to the leader, in order:
// see Nodes.Measured. end, if not nil, is called when the part has ended, and may still write.
type Instrument func(j *launcher.Job, to io.Writer) (end func(), err error)

// A Piece is a part of the output of an instrument on a node.
type Piece struct {
	Node       int // number
	Instrument string
	Data       []byte
	// Ahead is by how much the node's monotonic clock is ahead of the leader's, as is known by now.
	Ahead time.Duration
}

// A NodeInfo describes a node before its ranks start.
type NodeInfo struct {
	Name string
	// ClockError is how far Piece.Ahead may be off.
	ClockError time.Duration
}

// A Host is a node and the number of ranks that it takes; 0: not given.
type Host struct {
	Name  string
	Slots int
}
