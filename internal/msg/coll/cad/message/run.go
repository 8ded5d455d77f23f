package message

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/pml"
)

// Transport is what graphs need that are executed by messages.
type Transport struct {
	Job      cad.Job
	Messages *pml.Engine
	Rank     int // of the job
	Check    bool
	Describe func(call uint64) string

	// Failed, if it is not nil, has what has failed before a call: the messages tell the
	// others. At the end it has what has failed then, which is not returned as an error.
	Failed *cad.Failure
	Whole  func(rank int) bool // tells whether a rank is a member of the whole; nil: the channel is

	Executed *Executed // nil: not counted
	named    []bool    // by rank of the job: see run.Describe
}

// Executed counts what a rank has executed: nodes that move or combine bytes, those of other
// ranks' graphs, and the bytes; and by messages the memory that its graphs take.
type Executed struct{ Nodes, Foreign, Bytes, Memory atomic.Uint64 }

const (
	portBits   = 20
	numberBits = 10 // of the number, in the tag
	markBits   = 29 // of the number, in the mark

	blocks     = 1 << 29         // in the mark: of the guard of a call that blocks
	spoilt     = 1 << 31         // in the mark: a record precedes the message
	recordPort = 1<<portBits - 1 // of records

	mostInFlight = 256 // graphs of a channel
)

func tagOf(number, port uint32) int {
	return int(number&(1<<numberBits-1))<<portBits | int(port&(1<<portBits-1))
}

// run is the task of a graph that is executed by messages.
type run struct {
	t       *Transport
	channel *cad.Channel
	state   *State
	graph   *cad.Graph

	// What does not change.
	actions []action
	edges   []cad.Edge
	gate    cad.Node // the last node of the guard; Start: there is none
	bytes   int      // of its memory
	own     bool     // it has nodes that only the program's calls execute: see cad.Spec.Own

	// Of one issue.
	number  uint32
	call    uint64
	left    []int32    // predecessors that are not done, by node
	stack   []cad.Node // nodes that are ready
	active  []inFlight
	members []btl.Member // of together
	seen    uint64       // pml.Inside.Completions when active was last looked through
	begun   bool
	guarded bool // the gate has not been passed
	done    bool
	failure cad.Failure
	broken  error // the engine for messages cannot go on
}

// inFlight is a message that is underway, for a node.
type inFlight struct {
	request pml.Request
	n       cad.Node
	record  []byte // it is the record of the node's message
}

// action is a node, as it is executed.
type action struct {
	kind         cad.Kind
	folds        bool
	before       int32
	first, count int32 // successors, in edges
	peer         int32 // rank of the job
	port         uint32
	op           *cad.Op
	dst, src     area
	in           []byte // of a RECV that folds: what was received
}

// area is memory that a node works on: a part of a buffer that changes from issue to issue, or
// memory that is the same for all issues.
type area struct {
	buffer   int // which buffer; -1: own
	at, size int
	own      btl.Buffer
}

// State is what graphs by messages keep for a channel.
type State struct {
	Flight []uint32 // those that are underway; see mayBegin
	guard  *run     // that of them which has not passed its guard; nil: none, or it is alone
}
