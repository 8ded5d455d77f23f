package shm

import "sync/atomic"

// PairSize is the number of bytes of a Pair.
const PairSize = cacheLine

// Pair is the memory that a sender and one receiver share about the messages that are sent and
// not yet consumed. It lies in shared memory of the sender, one cache line, zeros
// at first. The sender's handle is Account, the receiver's is Returns.
//
// Credit. The sender counts its messages, privately, the receiver those it has
// consumed, and stores that count in returned, now and then. The difference is at
// least the number of messages that the receiver holds; the sender keeps it at or
// below a bound, which so bounds the receiver's memory for messages that nobody
// wants yet.
//
// Buffers. See Pool.
type Pair struct {
	// Written by the receiver.
	returned atomic.Uint64 // messages consumed; only grows, never wraps
	freed    atomic.Uint64 // set of buffers given back; the sender takes them out

	_ [cacheLine - 16]byte
}

// Account is the sender's side of a Pair.
type Account struct {
	Pool
	pair     *Pair
	sent     uint64
	returned uint64 // as last read
	limit    uint64
}

// NewAccount returns the sender's side for at most limit outstanding messages and so
// many buffers, at most MaxBuffers.
func NewAccount(pair *Pair, limit, buffers int) Account {
	return Account{Pool: NewPool(&pair.freed, buffers), pair: pair, limit: uint64(limit)}
}

// Credit tells whether one more message may be sent. It reads shared memory only if
// its own copy says no.
func (a *Account) Credit() bool {
	if a.sent-a.returned < a.limit {
		return true
	}
	a.returned = a.pair.returned.Load()
	return a.sent-a.returned < a.limit
}

// Spend counts a message that was sent.
func (a *Account) Spend() { a.sent++ }

// Returns is the receiver's side of a Pair.
type Returns struct {
	pair     *Pair
	consumed uint64
	stored   uint64 // as last stored in returned
	batch    uint64 // messages whose credit may be held back
	freed    uint64 // buffers held back
	pending  int    // how many these are
	hold     int    // how many may be held back
}

// NewReturns returns the receiver's side of the pair, for the same bounds as the
// sender's. It stores returned credit and buffers in batches of an eighth of each, to take
// the cache line from the sender less often; so that much of the sender's credit
// may be missing though all is consumed, and never more.
func NewReturns(pair *Pair, limit, buffers int) Returns {
	return Returns{pair: pair, batch: uint64(max(limit/8, 1)), hold: max(min(buffers, initialBuffers)/2, 1)}
}

// Message gives back the credit of one message.
func (r *Returns) Message() {
	r.consumed++
	if r.consumed-r.stored >= r.batch {
		r.stored = r.consumed
		r.pair.returned.Store(r.consumed)
	}
}

// Buffer gives back a buffer. The receiver has read all it wants of it.
func (r *Returns) Buffer(i int) {
	r.freed |= 1 << i
	if r.pending++; r.pending >= r.hold {
		r.pair.freed.Or(r.freed)
		r.freed, r.pending = 0, 0
	}
}
