package sim

import "github.com/gopvas/gopvas/loggps/graph"

// state is what changes of an operation. There is one for each, so it is small: a number of an operation has fewer bits
// than a word, and the others are used, too.
type state struct {
	at  float64 // when its dependencies let it start; later when it started
	end float64 // when it completed; before that see the rules of the mode
	low uint32  // number of what released it last, once it has started in a queue of the matcher; cause; status
	own uint32  // dependencies that are left, once there are none the number of the matched operation; awaited
}

// The number of an operation, and one more, has linkBits. Dependencies of a graph have ownBits.
const (
	linkBits  = 27
	ownBits   = 29
	causeBit  = linkBits // where it begins in low
	statusBit = 30
)

const _ = uint(1<<linkBits - 1 - graph.MaxOps)

type status uint8

const (
	waiting status = iota // for its dependencies, or its CPU
	begun
	done
)

func (s *state) link() uint32 { return s.low & (1<<linkBits - 1) }

func (s *state) setLink(to uint32) { s.low = s.low&^(1<<linkBits-1) | to }

func (s *state) status() status { return status(s.low >> statusBit) }

func (s *state) setStatus(to status) { s.low = s.low&^(3<<statusBit) | uint32(to)<<statusBit }

// cause is that of waiting for the operation to start.
func (s *state) cause() Cause { return Cause(s.low >> causeBit & 7) }

func (s *state) setCause(to Cause) { s.low = s.low&^(7<<causeBit) | uint32(to)<<causeBit }

// need is how many dependencies are left, and mate the matched operation when none is.
func (s *state) need() uint32 { return s.own & (1<<ownBits - 1) }

func (s *state) mate() uint32 { return s.own & (1<<ownBits - 1) }

func (s *state) setMate(to uint32) { s.own = s.own&^(1<<ownBits-1) | to }

// awaited is, of a Wait, the cause of waiting for the last operation that it awaits.
func (s *state) awaited() Cause { return Cause(s.own >> ownBits) }

func (s *state) setAwaited(to Cause) { s.own = s.own&(1<<ownBits-1) | uint32(to)<<ownBits }
