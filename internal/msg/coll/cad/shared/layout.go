package shared

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/node/job"
)

// The memory that ranks share. Each rank that has issued a graph has a pool, whose address is
// in the job's root block. The pool, and all that it refers to, lies in memory of the rank's
// module that is never given back. It is used again for the same purpose only: a node stays a
// node and a word of aux stays one. So a late executor, with an address that it has read
// before, finds something of the kind that it expects. The number of the issue tells whether
// that still is the same. Numbers of issues are never used twice.
//
// All words that a late executor may read are read by atomic operations.

const (
	cacheLine   = 64
	maxGraphs   = 1024 // underway at a time, of a rank
	maxChannels = 1024 // slots of the table; three quarters of them can be used
	ringSize    = 256  // underway at a time, of a rank on a channel
	levels      = job.WorkLevels

	indexBits = 24 // of what counts nodes
	maxNodes  = 1<<indexBits - 2
	indexMask = 1<<indexBits - 1
)

// phase is how far a node has come. It is stored along with the number of the issue. The
// owner stores waiting at issue. The executor that completes the last predecessor stores
// ready. The executor whose compare-and-swap finds a RECV ready, and its SEND too, stores
// claimed in the RECV. The executor that has moved the bytes stores over in both.
// An executor that finds that nothing will meet a node swaps its state from waiting to vain or, if
// it is ready, to over. The executor that completes the last predecessor of a node with vain ends it at once.
type phase uint64

const (
	waiting phase = iota
	ready
	claimed
	over
	vain

	phaseBits = 8
	phaseMask = 1<<phaseBits - 1
)

func (p phase) of(issue uint64) uint64 { return issue<<phaseBits | uint64(p) }

// node is one node, in one cache line. All but state, left, link and src of a RECV is constant
// while an issue is underway. It is written before the first issue, or by SetBuffers before
// another.
type node struct {
	state  atomic.Uint64 // phase.of(issue)
	left   atomic.Uint32 // predecessors that are not done
	before uint32        // how many there are
	kind   cad.Kind
	policy cad.Policy    // resolved: not Default
	alone  bool          // only its owner can execute it: CALC, CALL, and RECV that folds
	folds  bool          // RECV: applies an operator, whose name is in aux
	link   atomic.Uint32 // place of the next in graph.own, plus one
	first  uint32        // of the successors, in aux
	count  uint32
	arg    uint64 // SEND, RECV: a pair; CALC: the operator's name, 0 also for CALL
	dst    uint64 // SEND: address of the graph it belongs to; of memory with a layout: see image.place
	src    uint64 // RECV: address of the SEND, written by the executor that has claimed it
	size   uint64
}

// operator returns the name of the operator of a CALC, or of a RECV that folds.
func (n *node) operator(g *graph) uint64 {
	if !n.folds {
		return n.arg
	}
	lengths, aux := g.lengths.Load(), g.aux.Load()
	place := uint32((n.address() - g.nodes.Load()) / uint64(nodeSize))
	at := namesAt(uint32(high(lengths)), uint32(low(lengths))) + nameWords*place
	return join(uint64(word(aux, at).Load()), uint64(word(aux, at+1).Load()))
}

// nameWords is what the name of an operator takes of aux.
const nameWords = 2

// namesAt is where the names of operators are in the aux of a graph of so many nodes and peers.
func namesAt(nodes, peers uint32) uint32 { return nodes + peerWords*peers }

// pair is which of the pairs with a rank of the job a node belongs to. ports is how many nodes of its kind its graph
// has for that rank. A fault has 16 bits for a rank, too.
type pair struct{ rank, port, ports uint32 }

func (p pair) word() uint64 {
	return uint64(p.rank)<<(2*indexBits) | uint64(p.ports)<<indexBits | uint64(p.port)
}

func pairOf(word uint64) pair {
	return pair{uint32(word >> (2 * indexBits)), uint32(word & indexMask), uint32(word >> indexBits & indexMask)}
}

// graph is the record of a graph that is underway. aux has, in this order: a word for each
// node, for the queue of ready nodes that any executor may take; three for each of peers (see
// peer); two for each RECV and SEND, if any RECV folds; the places of successors.
type graph struct {
	// Written by the owner before issue, which it writes last.
	issue   atomic.Uint64 // number; 0: none
	nodes   atomic.Uint64 // address of the first
	aux     atomic.Uint64 // address of the first word
	lengths atomic.Uint64 // number of nodes, number of peers
	place   atomic.Uint64 // context, and number on the channel
	where   atomic.Uint64 // rank, level, slot
	call    atomic.Uint64 // what it stands for: Graph.Signature
	_       [8]byte

	// Written by executors that take nodes: number of the issue, and how many were taken.
	head atomic.Uint64
	_    [cacheLine - 8]byte

	// Written by executors that make nodes ready.
	tail atomic.Uint64 // how many places of the queue have been given out
	own  atomic.Uint64 // number of the issue, and place plus one of the first node that only the owner takes
	_    [cacheLine - 16]byte

	done  atomic.Uint64 // number of the last issue that is complete; by the executor that makes END ready
	_     [cacheLine - 8]byte
	fault cad.Cell // the first thing that went wrong, noted before the node is done
}

func high(word uint64) uint64      { return word >> 32 }
func low(word uint64) uint64       { return word & (1<<32 - 1) }
func join(high, low uint64) uint64 { return high<<32 | low }

// where is the rank, the level and the slot in the pool of a graph.
func whereWord(rank, level, slot int) uint64 {
	return uint64(rank)<<32 | uint64(level)<<16 | uint64(slot)
}

// peer is a run of nodes that communicate with a rank: graphs have their RECV nodes
// first in order of kind, rank and port.
type peer struct {
	key   uint32 // rank*2, and 1 for RECV
	first uint32
	count uint32
}

const peerWords = 3

func peerKey(k cad.Kind, rank uint32) uint32 {
	if k == cad.Recv {
		return rank<<1 | 1
	}
	return rank << 1
}

// pool has the graphs that a rank has underway.
type pool struct {
	// Hints, by any executor: graphs with nodes in their queue, and graphs with nodes that
	// only the owner takes. An executor that clears a bit looks again afterwards.
	ready [levels]mask
	own   mask

	// Addresses of records, by context, with linear probing; written by the owner,
	// each once.
	channels [maxChannels]atomic.Uint64

	graphs [maxGraphs]graph
}

const maskWords = maxGraphs / 64

type mask [maskWords]atomic.Uint64

// record is a channel of a rank. The owner writes all of it but awaited, told and broken.
type record struct {
	context atomic.Uint32 // plus one
	issued  atomic.Uint32 // how many graphs were issued, at the last one

	former    atomic.Uint32 // issued, of the channel that has had the context before; 0: the rank has another one
	expecting atomic.Uint32 // the owner waits for graphs of members, and may find no record of theirs: see expect
	awaited   atomic.Uint64 // by rank modulo 64: members that wait for a graph of the owner to be complete
	told      atomic.Uint32 // how often the owner was told that a graph of a member is complete
	_         [cacheLine - 28]byte
	broken    cad.Cell                // a failure that ends all graphs on the channel
	ring      [ringSize]atomic.Uint64 // see entry
}

// entry is a graph that is underway on a channel: the low bits of its number there,
// its slot, and its issue; 0: none.
func entry(number uint32, slot int, issue uint64) uint64 {
	return uint64(number)<<(slotBits+issueBits) | uint64(slot)<<issueBits | issue
}

// entryIs tells whether an entry is of a graph with this number.
func entryIs(e uint64, number uint32) bool {
	return e != 0 && e>>(slotBits+issueBits) == uint64(number)&(1<<numBits-1)
}

func entrySlot(e uint64) int     { return int(e >> issueBits & (maxGraphs - 1)) }
func entryIssue(e uint64) uint64 { return e & (1<<issueBits - 1) }

const (
	issueBits = 40
	slotBits  = 10
	numBits   = 64 - issueBits - slotBits
)
