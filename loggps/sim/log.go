package sim

import "github.com/gopvas/gopvas/loggps/graph"

// A ref is a moment in the life of an operation, or none.
type ref uint32

// The moments. Those at which a CPU becomes free are named after what it did.
const (
	atZero        = iota
	atStart       // the operation starts
	atEnd         // it completes
	atArrival     // the message, or its request, is at the receiver
	atDelivery    // all of the message is at the receiver
	atAck         // the acknowledgement is at the sender
	atGone        // LogGP, of a send: all of the message is there if it waits for no other wire
	atData        // LogGOPS, of a send: the receiver begins to handle the message
	afterStart    // the CPU has done what belongs to the start
	afterHandle   // of a send: the receiver has taken its request
	afterAck      // the sender has sent the data
	afterData     // the receiver has taken the data; LogGOPS: of a send, else of a receive
	gapAfterStart // the NIC may send again
	gapAfterData  // the NIC may receive again
)

const refShift = 5

func makeRef(id, moment uint32) ref { return ref(id<<refShift | moment) }

func (r ref) id() graph.ID   { return graph.ID(r >> refShift) }
func (r ref) moment() uint32 { return uint32(r) & (1<<refShift - 1) }

// A log keeps, for each step of an operation that more than one thing can delay, the one
// that was last. The steps are, by mode and kind:
//
//	LogGPS   send   0 start   1 receiver takes the request   2 sender sends the data
//	         recv   0 start   1 receiver takes the data
//	         wait   0 start   1 end
//	LogGOPS  send   0 start   1 receiver takes the message   2 end, of a rendezvous
//	         recv   0 start   1 end
//
// Of steps 2, which few operations have, it keeps those that the usual moment of the operation has not delayed.
// A nil log keeps nothing.
type log struct {
	by    [2][]ref
	third map[uint32]ref
	usual uint32
}

func newLog(ops int, mode Mode) *log {
	l := &log{by: [2][]ref{make([]ref, ops), make([]ref, ops)}, third: map[uint32]ref{}, usual: atAck}
	if mode == LogGOPS {
		l.usual = atData
	}
	return l
}

func (l *log) set(id uint32, step int, by ref) {
	switch {
	case l == nil:
	case step < len(l.by):
		l.by[step][id] = by
	case by == makeRef(id, l.usual):
		delete(l.third, id)
	default:
		l.third[id] = by
	}
}

func (l *log) of(id uint32) (by [3]ref) {
	third, ok := l.third[id]
	if !ok {
		third = makeRef(id, l.usual)
	}
	return [3]ref{l.by[0][id], l.by[1][id], third}
}

// began notes what has delayed a step that begins now. If its event has waited in a line,
// that line became free now; else what was noted before holds.
func (l *log) began(ev event, id uint32, step int, ln *lane, side *line) {
	if l == nil || ev.mark() == markNone {
		return
	}
	if ln.free == ev.t {
		l.set(id, step, ln.last)
	} else if side != nil {
		l.set(id, step, side.last)
	}
}
