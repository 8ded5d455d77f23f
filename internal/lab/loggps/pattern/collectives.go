package pattern

import "github.com/gopvas/gopvas/loggps/graph"

// Dissemination is a barrier: in round i everybody sends to the rank 2^i further on.
func (m Member) Dissemination() {
	for d := 1; d < m.Ranks; d *= 2 {
		m.exchange(0, m.Rank+d, m.Rank-d)
	}
}

// BinomialBcast sends a vector from the root down a binomial tree, to the largest subtree
// first.
func (m Member) BinomialBcast(bytes int64, root int) {
	me := (m.Rank - root + m.Ranks) % m.Ranks
	d := 1
	for ; d < m.Ranks; d *= 2 {
		if me&d != 0 {
			m.Recv(bytes, m.peer(m.Rank-d))
			break
		}
	}
	for d /= 2; d > 0; d /= 2 {
		if me+d < m.Ranks {
			m.Send(bytes, m.peer(m.Rank+d))
		}
	}
}

// BinomialReduce sends vectors up a binomial tree to the root.
func (m Member) BinomialReduce(bytes int64, root int) {
	me := (m.Rank - root + m.Ranks) % m.Ranks
	for d := 1; d < m.Ranks; d *= 2 {
		if me&d != 0 {
			m.Send(bytes, m.peer(m.Rank-d))
			return
		}
		if me+d < m.Ranks {
			m.Recv(bytes, m.peer(m.Rank+d))
		}
	}
}

// RecursiveDoubling is an allreduce: ranks exchange whole vectors with the rank whose
// number differs in one bit. Those beyond a power of two hand their vector in before and
// get the result after.
func (m Member) RecursiveDoubling(bytes int64) {
	even := 1
	for even*2 <= m.Ranks {
		even *= 2
	}
	if m.Rank >= even {
		m.Send(bytes, m.peer(m.Rank-even))
		m.Recv(bytes, m.peer(m.Rank-even))
		return
	}
	extra := m.Rank+even < m.Ranks
	if extra {
		m.Recv(bytes, m.peer(m.Rank+even))
	}
	for d := 1; d < even; d *= 2 {
		m.exchange(bytes, m.Rank^d, m.Rank^d)
	}
	if extra {
		m.Send(bytes, m.peer(m.Rank+even))
	}
}

// RingAllreduce passes parts of the vector around a ring, once to add and once to tell.
func (m Member) RingAllreduce(bytes int64) {
	part := (bytes + int64(m.Ranks) - 1) / int64(m.Ranks)
	for range 2 * (m.Ranks - 1) {
		m.exchange(part, m.Rank+1, m.Rank-1)
	}
}

// RingAllgather passes the parts of all ranks around a ring.
func (m Member) RingAllgather(bytes int64) {
	for range m.Ranks - 1 {
		m.exchange(bytes, m.Rank+1, m.Rank-1)
	}
}

// LinearAlltoall begins all receives and all sends at once.
func (m Member) LinearAlltoall(bytes int64) {
	var requests []graph.ID
	for d := 1; d < m.Ranks; d++ {
		requests = append(requests, m.Irecv(bytes, m.peer(m.Rank-d)))
	}
	for d := 1; d < m.Ranks; d++ {
		requests = append(requests, m.Isend(bytes, m.peer(m.Rank+d)))
	}
	m.Wait(requests...)
}

// PairwiseAlltoall exchanges with one rank after the other.
func (m Member) PairwiseAlltoall(bytes int64) {
	for d := 1; d < m.Ranks; d++ {
		m.exchange(bytes, m.Rank+d, m.Rank-d)
	}
}
