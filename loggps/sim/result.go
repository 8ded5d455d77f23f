package sim

import (
	"slices"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
)

// Cause is what a CPU of a rank spends time on.
type Cause uint8

const (
	Compute  Cause = iota // computing
	Overhead              // sending and receiving
	SendWait              // waiting for an acknowledgement
	RecvWait              // waiting for a message
	Gap                   // waiting for the NIC (LogGOPS)
	Turn                  // waiting for a CPU that other ranks use
	Idle                  // waiting for another CPU of the rank, or nothing left to do
	NumCauses
)

var causes = [...]string{"computation", "overhead", "send wait", "receive wait", "gap", "turn", "idle"}

func (c Cause) String() string { return causes[c] }

// Breakdown is time by cause, in nanoseconds.
type Breakdown [NumCauses]float64

// Total is the sum.
func (b Breakdown) Total() float64 {
	sum := 0.0
	for _, t := range b {
		sum += t
	}
	return sum
}

// A Result says when everything happened. Times are nanoseconds from the start.
type Result struct {
	Finish []float64   // by rank: when its last operation completed
	Ranks  []Breakdown // by rank, the sum over its CPUs
	Events int         // operations and messages

	g       *graph.Graph
	opt     Options
	links   []loggps.Params
	ops     []state
	log     *log
	crossed map[uint32]float64 // by send: how much longer it has taken, because it crossed another
	queued  map[uint32]behind
	gone    map[uint32]gap
	// lastBusy is, by rank, what its CPU did last; the rank may end with a message that
	// none of its operations receives in time.
	lastBusy []ref
}

func (e *engine) result() *Result {
	r := &Result{
		Finish: e.finish, Ranks: make([]Breakdown, e.g.Ranks()), Events: e.g.Len() + e.msgs,
		g: e.g, opt: e.opt, links: e.links, ops: e.ops, log: e.log, crossed: e.crossed, queued: e.queued, gone: e.gone,
	}
	cpus := e.g.CPUs()
	r.lastBusy = make([]ref, e.g.Ranks())
	for i := range e.lanes {
		if ln, rank := &e.lanes[i], i/cpus; ln.free >= e.finish[rank] {
			e.finish[rank], r.lastBusy[rank] = ln.free, ln.last
		}
	}
	for i := range e.lanes {
		ln, rank := &e.lanes[i], i/cpus
		if rest := e.finish[rank] - ln.seen; rest > 0 {
			until := pending{Idle, NoOp}
			if cpus == 1 && e.tail[rank].cause != Idle {
				until = e.tail[rank]
			}
			ln.used[until.cause] += rest
			e.watch(int32(rank), ln, until.cause, until.op, ln.seen, e.finish[rank])
		}
		for c, t := range ln.used {
			r.Ranks[rank][c] += t
		}
	}
	return r
}

// Time is when the last rank is done.
func (r *Result) Time() float64 { return slices.Max(r.Finish) }

// Slowest is the first of the ranks that are done last.
func (r *Result) Slowest() int { return slices.Index(r.Finish, r.Time()) }

// Total is the breakdown of all ranks together.
func (r *Result) Total() Breakdown {
	var sum Breakdown
	for _, b := range r.Ranks {
		for c, t := range b {
			sum[c] += t
		}
	}
	return sum
}

// Graph is what was simulated.
func (r *Result) Graph() *graph.Graph { return r.g }

// Links are the parameters that were used, by link. With Synchronous S is -1.
func (r *Result) Links() []loggps.Params { return r.links }

// Start is when an operation started; a receive: when it began.
func (r *Result) Start(id graph.ID) float64 { return r.ops[id].at }

// End is when an operation completed.
func (r *Result) End(id graph.ID) float64 { return r.ops[id].end }

// Mate is the receive of a send, or the send of a receive.
func (r *Result) Mate(id graph.ID) graph.ID { return graph.ID(r.ops[id].mate()) }
