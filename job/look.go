package job

// A look is the supervisor's question whether ranks that wait can go on. Each rank that it asks wakes, and sees
// to all that has come. If there was nothing it says anew what it waits for, and answers. So two looks prove more
// than any state that is read from outside: a message may lie in the queue of a rank that has no CPU, or is stopped.
//
// The answer is one word: the number of the look, and the number of the rank's moves. A move is a message that has
// come or left, an operation that has ended, a wait that has begun or ended, work that was done for others. A rank
// does not answer while it takes in a message, or while what it has sent to another node may be under way, or while
// somebody is in the middle of sending to it.
//
// Let a set of ranks have answered look n, all of them before look n+1 was asked, and have answered that
// too, each with as many moves. Then no message of one of them to another is on its way. None has sent or done anything
// between its two answers. What it had sent before the first one had arrived by then: the second answer of its receiver
// began later, and would have found it. So, from the second answers on, a rank of the set can only be moved by a rank outside the set.
type Answer struct {
	Look  uint32 // the last look that the rank has answered; 0: none
	Moves uint32 // modulo 2^32
}

// Look begins a look at these ranks. Only the supervisor calls it, with numbers from 1 on.
func (r *Root) Look(number uint32, ranks []int) {
	r.head.look.Store(number)
	for _, rank := range ranks {
		r.block(rank).inbox.Signal()
	}
}

// Asked returns the number of the last look.
func (r *Root) Asked() uint32 { return r.head.look.Load() }

// Answer notes the answer of a rank. The rank itself calls it.
func (r *Root) Answer(rank int, a Answer) {
	r.block(rank).answer.Store(uint64(a.Look)<<32 | uint64(a.Moves))
}

// Answered returns the last answer of a rank.
func (r *Root) Answered(rank int) Answer {
	word := r.block(rank).answer.Load()
	return Answer{Look: uint32(word >> 32), Moves: uint32(word)}
}
