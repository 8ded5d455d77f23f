package cluster

import (
	"net/netip"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// A link is the control connection between the leader, the pvasrun that the user has started,
// and an agent, the pvasrun of a node. It is the standard input and output of the command that
// has started the agent (ssh). So it has the protection of that command, no port is opened, and
// it ends when either side ends. Where one command starts all agents it is a TCP connection with
// the same properties: join.go.
//
//	leader --- greeting, then orders ---> agent
//	       <-- linkMagic, linkVersion, then notes ----
//
// Both sides send gobs, each with a newline behind it: srun passes on whole lines, and holds back the rest. The agent
// begins with linkMagic, since the output of a login shell may come before. linkVersion is in no gob: a reader may not
// understand the gobs of another version. Each side sends signs of life (beat), and takes the other for dead when it
// hears nothing for Nodes.Timeout. A reader never waits for anything but the connection, so a busy reader is not taken
// for a dead peer. Output and input are held back by their senders (flowWindow).
const (
	linkMagic   = "\x00pvasrun agent\n"
	linkVersion = "0012\n" // every version has this length
	mostBanner  = 64 << 10
	flowWindow  = 256 << 10 // bytes of a stream that may be underway
	beatsPerEnd = 10        // beats in a time-out, at least; silence is noticed one before its end
)

// A greeting is the first thing that an agent reads.
type greeting struct {
	Timeout time.Duration
	Check   bool // say all that Check asks
	Here    bool // the leader is on the same machine, and has started the agent itself
}

// A start is the first order: the job, when all agents have answered the greeting.
type start struct {
	Job            launcher.Job // what of it can be sent, with the ranks of the node
	Stack          uint64       // limit of the leader, see stackHere
	Env            []string
	Dir            string
	Input, Verbose bool // a rank of the node reads input; there is a log
	Answers        bool // the input may be answers, see output.Answers
	Instruments    []string
}

// An order is a message of the leader after the greeting.
type order struct {
	part.Order
	Start      *start
	Pause      bool // the leader is about to be stopped: no beats come
	Input      []byte
	InputEnd   bool
	InputAsked bool  // does the rank wait for input?
	Took       int   // bytes of output that were passed on
	TookData   int   // bytes of instruments that were taken
	Clock      int64 // of the leader: the agent answers with its own
	Open       *opening
	Call       *calling
	CallOver   bool
}

// A note is a message of an agent.
type note struct {
	part.Note
	Beat       bool // a sign of life, no more
	Ready      *ready
	Started    bool // all ranks of the node
	Output     []byte
	Errors     bool           // Output is of the standard error
	Took       int            // bytes of input that were passed on
	Reader     *reader        // answers order.InputAsked
	Asked      syscall.Signal // a signal has asked the agent to end
	Log        string
	Clock      *clockTime
	Doors      *doors
	Called     bool // it has carried out order.Call once
	Heard      *heard
	Data       []byte // that an instrument has written
	Instrument string
	Finished   *finished
}

// ready answers the greeting.
type ready struct {
	Build     string // of its pvasrun
	Hostname  string
	CPUs      int    // that ranks may use there
	Network   string // a mark of the network namespace
	Addresses []netip.Prefix
	Names     []string // of the devices that have them
	Down      []string // devices of a check whose link is down
	Kernel    string
	Files     uint64     // limit on open files
	Tight     bool       // the size of files is limited
	Space     string     // why ranks do not share an address space there; "": they do
	Clock     time.Time  // when this was written
	Below     sys.Stream // the TCP connection of the link, as the node sees it, if it knows one
}

// finished is the last note.
type finished struct {
	BTL    job.BTL
	Reason string
	Code   int
	Err    string // why the job could not be started; "": it was
}

// reader says whether the rank that reads the input waits for it.
type reader struct{ Waits bool }

// An opening makes an agent open its sockets.
type opening struct{ Devices []netip.Addr }

// A calling makes an agent send datagrams.
type calling struct {
	Key   [16]byte           // of this check: others are not heard
	Self  int                // number of the node
	Doors [][]netip.AddrPort // of each node: a socket for each device; nil: it is lost
	All   bool               // a device that carries nothing is waited for, also where another one carries
}

// heard answers a calling: which nodes the agent has heard, by device and node.
type heard struct{ By [][]bool }

// doors answers an opening.
type doors struct{ At []netip.AddrPort }

// clockTime is a reading of the clock of an agent.
type clockTime struct {
	Begin int64 // of the leader's clock, in the question
	There int64
	end   int64 // of the leader's clock, when the answer came
}
