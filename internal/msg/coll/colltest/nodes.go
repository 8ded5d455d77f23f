package colltest

import (
	"fmt"
	"testing"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/shm"
)

// pattern is the node of each rank in the world of nodes, again and again: the nodes have
// different numbers of ranks, which do not follow one another. The ranks of a node share one
// address space. Those of others are reached by a network.
var pattern = []int{0, 1, 0, 2, 1, 0, 0}

func onNodes(t testing.TB, ranks, cpus int) (*job.Root, func(int) Rank) {
	root, module := inOneSpace(t, ranks, cpus, settings)
	network := mem.New(root, mem.Options{EagerLimit: 1500, Inline: -1, Credit: 16})
	work := make([]job.Work, len(pattern))
	return root, func(rank int) Rank {
		j := Job{root, nil, rank, pattern}
		j.work = &work[j.Node(rank)]
		r := Rank{j, pml.New(root, rank, module(rank))}
		far := func(peer int) bool { return !r.Job.near(peer) }
		if ranks > 1 {
			r.Engine.AddPeers(network.Network(rank), far)
		}
		return r
	}
}

// Job is the job as a rank sees it. What one node alone can tell is not to be asked for
// ranks of others.
type Job struct {
	*job.Root
	work    *job.Work // of the node
	rank    int
	pattern []int // nil: all are on one node
}

// Node implements coll.Job.
func (j Job) Node(rank int) int {
	if j.pattern == nil {
		return 0
	}
	return j.pattern[rank%len(j.pattern)]
}

// Oversubscribed implements coll.Job.
func (j Job) Oversubscribed() bool { return j.Near() > j.CPUs() }

// Near returns the number of ranks on the node.
func (j Job) Near() (n int) {
	for rank := range j.Ranks() {
		if j.near(rank) {
			n++
		}
	}
	return n
}

func (j Job) near(rank int) bool { return j.Node(rank) == j.Node(j.rank) }

func (j Job) need(what string, rank int) {
	if !j.near(rank) {
		panic(fmt.Sprintf("colltest: rank %d asks for the %s of rank %d, which is on another node", j.rank, what, rank))
	}
}

// Work implements shared.Space.
func (j Job) Work() *job.Work { return j.work }

// Inbox implements cad.Job.
func (j Job) Inbox(rank int) *shm.Event {
	j.need("inbox", rank)
	return j.Root.Inbox(rank)
}

// Share implements shared.Space.
func (j Job) Share(rank int) *job.Share {
	j.need("share", rank)
	return j.Root.Share(rank)
}

// Graphs implements shared.Space.
func (j Job) Graphs(rank int) uint64 {
	j.need("graphs", rank)
	return j.Root.Graphs(rank)
}

// SameProgram implements shared.Space.
func (j Job) SameProgram(a, b int) bool {
	j.need("program", a)
	j.need("program", b)
	return j.Root.SameProgram(a, b)
}
