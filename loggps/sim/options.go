package sim

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
)

// Mode chooses the rules of the simulation.
type Mode uint8

const (
	// LogGPS follows the equations of package loggps: overheads by side and protocol, a
	// packet size, a rendezvous whose request and acknowledgement take time.
	LogGPS Mode = iota
	// LogGOPS is the model of LogGOPSim, its order of events included: one overhead and
	// one gap per byte, a gap between messages, an acknowledgement that costs nothing.
	LogGOPS
	logGP
)

// ParseMode returns the mode with a name. That of loggp is LogGPS without S, where the bytes that a rank sends follow
// one another with their gap, whoever receives them.
func ParseMode(name string) (Mode, error) {
	modes := []string{LogGPS: "loggps", LogGOPS: "loggops", logGP: "loggp"}
	if i := slices.Index(modes, name); i >= 0 {
		return Mode(i), nil
	}
	return 0, fmt.Errorf("sim: mode %q: there are %s", name, strings.Join(modes, ", "))
}

// Options are what a program is simulated on. The zero value of all but Machine is what
// one wants at first.
type Options struct {
	Machine loggps.Machine
	Mode    Mode
	// Compute is the factor on the times of computations: 0.5 makes CPUs twice as fast.
	// 0 stands for 1.
	Compute float64
	// Synchronous lets every message, an empty one too, wait for its receive, as S = 0
	// does with those that are not empty.
	Synchronous bool
	// Unshared gives each message the bandwidth of its receiver as if it were alone (LogGPS).
	Unshared bool
	// Share, if given, makes ranks share CPUs.
	Share *Share
	// Ideal makes messages and calls take no time: what is left is computation, and who waits for whom.
	Ideal bool
	// Record keeps what each operation has waited for, which Path needs.
	Record bool
	// Watch, if given, is told what each CPU does, piece by piece: those of a CPU come in
	// order and touch one another, and make the breakdown of its rank.
	Watch func(Piece)
}

// A Piece is what a CPU of a rank does for some time, in nanoseconds.
type Piece struct {
	Rank     int32
	CPU      uint8
	Cause    Cause
	Op       graph.ID // that it works or waits for; NoOp at the end of the rank
	From, To float64
}

// NoOp stands for no operation.
const NoOp = graph.ID(1<<32 - 1)

// Share is CPUs that ranks share. Rank r of a node always runs on CPU r mod CPUs of that node. A rank keeps its CPU as
// long as it has something to do. After a Slice it gives it up if others wait: within a computation, or between two
// operations. Of those that wait, the one that became ready first is next. A rank that waits for a message needs no
// CPU.
//
// So ranks neither poll nor oversleep. Priorities, and ranks that a scheduler moves, are not modelled.
type Share struct {
	CPUs   int     // of a node
	Slice  float64 // ns; 0: as long as there is something to do
	Switch float64 // ns that a CPU takes to change to another rank
}

// linkOf returns the index of the link of a message. Behind those of the machine is the one of
// messages that cost nothing.
func (o *Options) linkOf(src, dst int32, nic uint8) int {
	if nic == graph.Free {
		return len(o.Machine.Links)
	}
	return o.Machine.LinkOf(int(src), int(dst), nic)
}

// check reports options that make no sense for the graph, and fills in defaults.
func (o *Options) check(g *graph.Graph) error {
	if err := o.Machine.Validate(); err != nil {
		return fmt.Errorf("sim: %w", err)
	}
	wrong := func(node int) bool { return node < 0 || node >= g.Ranks() }
	if n := o.Machine.Nodes; n != nil && (len(n) != g.Ranks() || slices.ContainsFunc(n, wrong)) {
		return fmt.Errorf("sim: nodes of %d ranks: give one for each of the %d ranks of the program, from 0 to %d",
			len(n), g.Ranks(), g.Ranks()-1)
	}
	if o.Mode > logGP {
		return fmt.Errorf("sim: mode %d is unknown", o.Mode)
	}
	if o.Mode == LogGOPS {
		for _, l := range o.Machine.Links {
			if _, err := l.Params.LogGOPS(); err != nil {
				return fmt.Errorf("sim: link %s: %w", l.Name, err)
			}
		}
	}
	if o.Compute == 0 {
		o.Compute = 1
	}
	if !(o.Compute > 0 && o.Compute <= math.MaxFloat64) {
		return fmt.Errorf("sim: factor %v on computation: want more than 0", o.Compute)
	}
	if o.Share == nil {
		return nil
	}
	if o.Record {
		return errors.New("sim: shared CPUs: what operations waited for is recorded for ranks with CPUs of their own " +
			"only; leave out Record")
	}
	return o.Share.check(g, o.Compute)
}

// maxSlices is how many slices all computations may have together.
const maxSlices = 1 << 30

func (s *Share) check(g *graph.Graph, compute float64) error {
	if s.CPUs < 1 || !(s.Slice >= 0) || !(s.Switch >= 0 && s.Switch <= math.MaxFloat64) {
		return fmt.Errorf("sim: shared CPUs: %+v: want at least 1 CPU, and times >= 0", *s)
	}
	if s.Slice == 0 {
		return nil
	}
	slices := 0.0
	for id := range graph.ID(g.Len()) {
		if op := g.Op(id); op.Kind == graph.Calc {
			slices += float64(op.Size) * compute / s.Slice
		}
	}
	if slices > maxSlices {
		return fmt.Errorf("sim: shared CPUs: the computations have %.0f slices of %v ns; make slices longer", slices,
			s.Slice)
	}
	return nil
}
