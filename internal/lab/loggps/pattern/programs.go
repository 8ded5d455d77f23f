package pattern

import "github.com/gopvas/gopvas/loggps/graph"

// PingPong sends a message of some bytes to and fro between ranks 0 and 1.
func (m Member) PingPong(bytes int64, times int) {
	for range times {
		switch m.Rank {
		case 0:
			m.Send(bytes, m.peer(1))
			m.Recv(bytes, m.peer(1))
		case 1:
			m.Recv(bytes, m.peer(0))
			m.Send(bytes, m.peer(0))
		}
	}
}

// Ring passes a message around all ranks, beginning and ending with rank 0.
func (m Member) Ring(bytes int64) {
	if m.Rank != 0 {
		m.Recv(bytes, m.peer(m.Rank-1))
	}
	m.Send(bytes, m.peer(m.Rank+1))
	if m.Rank == 0 {
		m.Recv(bytes, m.peer(m.Rank-1))
	}
}

// Halo exchanges borders with the neighbours in a periodic grid of the given sides, whose
// product is the number of ranks, computes for some nanoseconds, and so on.
func (m Member) Halo(sides []int, bytes, ns int64, times int) {
	requests := make([]graph.ID, 0, 4*len(sides))
	for range times {
		requests = requests[:0]
		for _, send := range []bool{false, true} {
			stride := 1
			for _, side := range sides {
				at := m.Rank / stride % side
				for _, step := range []int{1, side - 1} {
					to := m.Rank + ((at+step)%side-at)*stride
					if send {
						requests = append(requests, m.Isend(bytes, m.peer(to)))
					} else {
						requests = append(requests, m.Irecv(bytes, m.peer(to)))
					}
				}
				stride *= side
			}
		}
		m.Wait(requests...)
		m.Calc(ns)
	}
}
