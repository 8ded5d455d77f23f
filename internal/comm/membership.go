package comm

import (
	"github.com/gopvas/gopvas/internal/coll"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/pml"
)

// membership is who is in a communicator. Once the communicator has an id (setID) it does not change.
type membership struct {
	group *Group // the caller's, and that of Rank and Size
	// peers are the ranks that messages go to and come from: group, or the remote group of an intercommunicator
	peers   *Group
	members *Group     // of collective operations: group, or both groups of an intercommunicator
	ranks   []int32    // those of peers; nil for the first world, where nothing needs to be translated
	visited bool       // it has ranks of other jobs
	units   *unitCache // of statuses
}

// single is a membership of one group.
func single(g *Group) membership {
	return membership{group: g, peers: g, members: g, ranks: g.ranks, units: new(unitCache)}
}

// world returns the job's rank of each member; nil if they have the same numbers.
func (m *membership) world() []int32 {
	if m.ranks == nil {
		return nil
	}
	return m.members.ranks
}

// statusGroup returns whose ranks the statuses of a communicator's requests have to be
// given in; nil: the job's.
func (m *membership) statusGroup() *Group {
	if m.ranks == nil {
		return nil
	}
	return m.peers
}

// status is what the layer below says, in ranks of the communicator and counted in
// elements of that size.
func (m *membership) status(s pml.Status, size int) Status {
	return statusIn(unit{size, m.statusGroup()}, s)
}

// across returns the edges to the ranks of the remote group.
func (m *membership) across(data []Buffer) []coll.Edge {
	edges := make([]coll.Edge, 0, len(data))
	for i, b := range data {
		member := m.members.find(m.peers.ranks[i])
		if b.Len() == 0 {
			member = ProcNull
		}
		edges = append(edges, coll.Edge{Member: member, Data: b})
	}
	return edges
}

// source returns the group's rank for the job's in a status, which may be a wildcard.
func (g *Group) source(rank int) int {
	if rank < 0 {
		return rank
	}
	return g.find(int32(rank))
}

// Failed returns the members of c that have failed, of both groups of an intercommunicator, in the order in which this
// process has learned of them: each later group begins with the earlier ones. It is local.
//
// MPI Forum issue 20 (MPI_Comm_get_failed).
func Failed(c *Comm) *Group {
	if c.made() != nil {
		return nobody
	}
	failed := []int32{}
	for _, rank := range c.failures.Ranks(c.root) {
		if c.members.find(rank) != Undefined {
			failed = append(failed, rank)
		}
	}
	return newGroup(c.group.self, failed)
}

// Acknowledge has the failures of the first n members of Failed end no receive or probe from AnySource on c any more.
// Those that were acknowledged before stay so. It returns how many are. It is local.
//
// MPI Forum issue 20 (MPI_Comm_ack_failed).
func Acknowledge(c *Comm, n int) int {
	if c.usable() != nil {
		return 0
	}
	failed := Failed(c).ranks
	return c.engine.Acknowledge(c.context, failed[:max(0, min(n, len(failed)))])
}

// Acknowledged returns those members of Failed that are acknowledged. It is local.
func Acknowledged(c *Comm) *Group {
	n := Acknowledge(c, 0)
	return newGroup(c.group.self, Failed(c).ranks[:n])
}

// outlive drops the error of a call that succeeds though members have failed, in a job that survives.
func outlive(root *job.Root, err error) error {
	if isLost(err) && job.Survives(root) {
		return nil
	}
	return err
}
