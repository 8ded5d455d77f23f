package colltest

import (
	"fmt"
	"testing"

	"github.com/gopvas/gopvas/btl/mem"
	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/pml"
	"github.com/gopvas/gopvas/shm"
)

// nodes is how many nodes the world of nodes has. Rank r is on node r modulo nodes. The
// ranks of a node share one address space. Those of others are reached by a network.
const nodes = 2

func onNodes(t testing.TB, ranks, cpus int) (*job.Root, func(int) Rank) {
	root, module := inOneSpace(t, ranks, cpus)
	network := mem.New(root, mem.Options{EagerLimit: 1500, Inline: -1, Credit: 16})
	work := make([]job.Work, nodes)
	return root, func(rank int) Rank {
		r := Rank{Job{root, &work[rank%nodes], rank, nodes}, pml.New(root, rank, module(rank))}
		var far []int
		for peer := range ranks {
			if !r.Job.near(peer) {
				far = append(far, peer)
			}
		}
		if far != nil {
			r.Engine.AddPeers(network.Network(rank), far...)
		}
		return r
	}
}

// Job is the job as a rank sees it. What one node alone can tell is not to be asked for
// ranks of others.
type Job struct {
	*job.Root
	work  *job.Work // of the node
	rank  int
	nodes int
}

func (j Job) near(rank int) bool { return rank%j.nodes == j.rank%j.nodes }

func (j Job) need(what string, rank int) {
	if !j.near(rank) {
		panic(fmt.Sprintf("colltest: rank %d asks for the %s of rank %d, which is on another node", j.rank, what, rank))
	}
}

// Work implements cad.Space.
func (j Job) Work() *job.Work { return j.work }

// Inbox implements cad.Job.
func (j Job) Inbox(rank int) *shm.Event {
	j.need("inbox", rank)
	return j.Root.Inbox(rank)
}

// Share implements cad.Space.
func (j Job) Share(rank int) *job.Share {
	j.need("share", rank)
	return j.Root.Share(rank)
}

// Graphs implements cad.Space.
func (j Job) Graphs(rank int) uint64 {
	j.need("graphs", rank)
	return j.Root.Graphs(rank)
}

// SameProgram implements cad.Space.
func (j Job) SameProgram(a, b int) bool {
	j.need("program", a)
	j.need("program", b)
	return j.Root.SameProgram(a, b)
}
