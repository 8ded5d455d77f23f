package comm

import "github.com/gopvas/gopvas/coll"

// Across returns a collective operation over an intercommunicator, as one exchange: out[i]
// is what goes to rank i of the remote group, in[i] what comes from there. Where a buffer is
// empty there is no message, and the other end has an empty one too. A side may be nil.
// Barriers need no buffers: Comm.Barrier is one of all ranks of both groups.
//
// MPI 4.1 section 6.2.2: an operation with a root has data go from the root to all of the
// remote group or back, and the others of the root's group do nothing; one without has
// each group get what the other sends. A reduction is an exchange with a hook that combines
// what has come, in the order of the ranks.
func Across(c *Comm, op string, out, in []Buffer, hooks coll.Hooks) NeighborCall {
	k := NeighborCall{Comm: c, Op: op}
	if c.remote() == nil {
		k.Wrong = ErrNotInter
		return k
	}
	k.Out, k.In, k.Hooks, k.Layouts = c.across(out), c.across(in), hooks, true
	return k
}

// across are the edges to the ranks of the remote group.
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
