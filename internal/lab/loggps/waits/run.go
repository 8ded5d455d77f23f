package waits

// Activity is what a rank does.
type Activity uint8

const (
	Computing Activity = iota
	Calling            // it waits for a peer or transfers
	File               // in a call on a file
	Off                // without a CPU
	Delayed            // its messages take longer than alone
)

// Cause is a pattern of lost time.
type Cause uint8

const (
	None          Cause = iota
	LateSender          // a receive has begun before its send
	LateReceiver        // a send that cannot go on without its receive
	Rendezvous          // likewise, but only for the eager limit
	LateMember          // a collective call that others have not come to
	Lock                // a lock of a window that another rank has
	SerialChain         // ranks compute one after another, each behind the messages of the one before
	HotRank             // ranks have to do with one that serves them in turn
	Contention          // messages take longer, as others are on their way
	SmallMessages       // messages that cost calls rather than bytes
	Transfer            // messages that cost bytes
	SlowFile
	Imbalance // a rank computes more than the others
	Delay     // ranks are without a CPU, or messages take longer than the machine says
	Elsewhere // a peer whose part of a message is not in the run
)

var causes = [...]string{"", "late sender", "late receiver", "rendezvous", "late to a collective", "lock of a window",
	"serial chain", "hot rank", "contention", "small messages", "transfer", "slow file", "imbalance", "delay",
	"left out"}

// String returns its name in reports.
func (c Cause) String() string { return causes[c] }

// A Piece is what a rank does for some time, in nanoseconds. Between two pieces of a rank, and before the first one, it
// computes, before the place of the second. So most computations need no piece.
type Piece struct {
	From, To  float64
	Late      float64 // of a call: until when its peer was not there
	Bytes     int64   // that it moves
	Messages  int32   // and in how many messages, one after the other
	Peer      int32   // that was there last, or the root; -1: none
	Place     uint32  // of the call, or of the one behind a computation
	PeerPlace uint32  // where the peer was late
	Activity  Activity
	Cause     Cause // of waiting for the peer
	Call      uint8 // a number of the caller's

	shares uint8 // how many a wait has, and where they are: see blamed
	first  uint32
}

// Waited is how long the rank has waited for its peer.
func (p *Piece) Waited() float64 {
	if p.Activity != Calling || p.Cause == None {
		return 0
	}
	return max(min(p.Late, p.To)-p.From, 0)
}

// Run is what the ranks of a program have done, each in the order of time.
type Run struct {
	Ranks  [][]Piece
	Places []string // by Piece.Place
	Shared bool     // ranks share CPUs
}

// Times is what a rank spends its time on, in nanoseconds.
type Times struct{ Computed, Transferred, Waited, File, Off float64 }

// Total is all of it.
func (t Times) Total() float64 { return t.Computed + t.Transferred + t.Waited + t.File + t.Off }

// Times returns what each rank spends its time on.
func (r *Run) Times() []Times {
	all := make([]Times, len(r.Ranks))
	for rank, lane := range r.Ranks {
		t, last := &all[rank], 0.0
		for i := range lane {
			p := &lane[i]
			t.Computed += p.From - last
			last = p.To
			took, waited := p.To-p.From, p.Waited()
			switch p.Activity {
			case Computing:
				t.Computed += took
			case File:
				t.File += took
			case Off:
				t.Off += took
			default:
				t.Waited += waited
				t.Transferred += took - waited
			}
		}
	}
	return all
}

// active is how many ranks have done anything: others have been left out.
func active(ranks []Times) (n int) {
	for _, t := range ranks {
		if t.Total() > 0 {
			n++
		}
	}
	return n
}

// Efficiency has the factors that the time of a program is the product of.
type Efficiency struct {
	LoadBalance   float64 // mean over largest computation
	Serialisation float64 // largest computation over the time with a network that takes none
	Transfer      float64 // that time over the time
}

// Efficiencies returns the factors of a program that takes a time, and another one if the network takes none.
func Efficiencies(ranks []Times, time, ideal float64) (e Efficiency) {
	sum, most := 0.0, 0.0
	for _, t := range ranks {
		sum += t.Computed
		most = max(most, t.Computed)
	}
	if most == 0 || time == 0 {
		return e
	}
	ideal = min(max(ideal, most), time) // what was measured and what is simulated differ a little
	return Efficiency{sum / float64(active(ranks)) / most, min(most/ideal, 1), ideal / time}
}

// Communication is serialisation times transfer efficiency.
func (e Efficiency) Communication() float64 { return e.Serialisation * e.Transfer }

// Parallel is the efficiency of the program: the share of its time in which ranks compute.
func (e Efficiency) Parallel() float64 { return e.LoadBalance * e.Communication() }
