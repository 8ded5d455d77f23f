package job

// A look is the supervisor's question to ranks that wait: can you go on? The supervisor wakes each rank that it asks.
// The rank takes in all messages that have come. If it still waits, it writes its record (Waiting) anew and answers.
// A record that is read without a look proves less: its rank may have no CPU, or be stopped, and its queue have a
// message.
//
// The answer is one word: the number of the look, and the number of the rank's moves. A move is one of these: a message
// has come or left, an operation or a wait has ended, a wait has begun, the rank has worked for another rank.
// A rank does not answer while one of these holds:
//
//   - it copies the bytes of a message;
//   - another rank of its node is in the middle of sending to it;
//   - a message that it has sent to another node is not acknowledged.
//
// Claim: let each rank of a set answer look n before look n+1 is asked, and then answer look n+1 with the same number
// of moves. Then no rank of the set moves any more, unless a rank outside the set moves it, or another goroutine or
// thread of its own does.
//
// Proof: take the first move of a rank of the set after its first answer. Let its cause be a message, or a word in
// shared memory, of another rank of the set, the sender. The sender has not moved since its own first answer, so it had
// sent the message before. The message had arrived before look n+1 was asked. So the receiver took it in before its
// second answer. That was a move between its two answers, but these have the same number of moves.
//
// The record belongs to the answers. A rank withdraws its answer before it writes a record, and a reader reads the
// record first. So no reader finds the second answer beside the record of a later wait. Between the two answers no wait
// has begun: all records of that time are of the same wait.
type Answer struct {
	Look  uint32 // the last look that the rank has answered; 0: none
	Moves uint32 // modulo 2^32
}

// Look begins a look at these ranks, and a report (AskReport). Only the supervisor calls it, with numbers from 1 on.
func (r *Root) Look(number uint32, ranks []int) {
	r.head.look.Store(number)
	r.AskReport(ranks)
}

// Asked returns the number of the last look.
func (r *Root) Asked() uint32 { return r.head.look.Load() }

// Answer notes the answer of a rank; the zero Answer withdraws it. The rank itself calls it.
func (r *Root) Answer(rank int, a Answer) {
	r.block(rank).answer.Store(uint64(a.Look)<<32 | uint64(a.Moves))
}

// Answered returns the last answer of a rank.
func (r *Root) Answered(rank int) Answer {
	word := r.block(rank).answer.Load()
	return Answer{Look: uint32(word >> 32), Moves: uint32(word)}
}
