package comm

import "github.com/gopvas/gopvas/internal/coll"

// Across returns a collective operation over an intercommunicator, as one exchange: out[i]
// goes to rank i of the remote group, in[i] comes from there. Where a buffer is empty there is
// no message, and the buffer at the other end is empty too. out or in may be nil. A barrier
// needs no exchange: Comm.Barrier waits for all ranks of both groups.
//
// With a root, data goes from the root to all of the remote group, or back; the others of the
// root's group do nothing. Without one, each group gets what the other sends. A reduction is an
// exchange with a hook that combines the vectors received, in the order of the ranks.
//
// MPI 4.1 section 6.2.2.
func Across(c *Comm, op string, out, in []Buffer, hooks coll.Hooks) NeighborCall {
	k := NeighborCall{Comm: c, Op: op}
	if c.remote() == nil {
		k.Wrong = ErrNotInter
		return k
	}
	k.Out, k.In, k.Hooks, k.Layouts = c.across(out), c.across(in), hooks, true
	return k
}

// across returns the edges to the ranks of the remote group.
func (c *Comm) across(data []Buffer) []coll.Edge {
	edges := make([]coll.Edge, 0, len(data))
	for i, b := range data {
		member := c.members.find(c.peers.ranks[i])
		if b.Len() == 0 {
			member = ProcNull
		}
		edges = append(edges, coll.Edge{Member: member, Data: b})
	}
	return edges
}
