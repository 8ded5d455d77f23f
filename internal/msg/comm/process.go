package comm

import (
	"slices"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/cad/shared"
	"github.com/gopvas/gopvas/internal/msg/comm/consensus"
	"github.com/gopvas/gopvas/internal/msg/comm/delays"
	"github.com/gopvas/gopvas/internal/msg/comm/failures"
	"github.com/gopvas/gopvas/internal/msg/comm/kept"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// process is what a rank of the job has for all of its communicators.
type process struct {
	root   *job.Root
	number int // of this rank in the job
	module btl.Module
	engine *pml.Engine
	graphs *shared.Engine

	contexts  *contexts
	networks  []Network
	visits    visits
	windows   windows
	buffered  buffered
	resource  resource
	opened    openPorts
	failures  failures.List
	revocable revocable

	agreements consensus.Home
	keeps      kept.Home

	delays *delays.Delays // of calls; nil: none

	describe func(call uint64) string                 // what a graph stands for, for errors
	resolve  func(name uint64) func(inout, in []byte) // see Operators

	self      func() *Comm // see Self
	parent    *Comm        // see Parent
	refilled  *Comm        // what Survive on the world goes by: see refill. nil: the world itself
	finalized atomic.Bool
	met       bool // Meet was called
}

// newTeam returns what collective operations know of a communicator that has an id.
func (p *process) newTeam(m *membership, id uint32, name func() string) *coll.Team {
	return &coll.Team{
		Engine: p.engine, Job: p.root,
		Context: collective.of(id), Inner: levels.of(id), Rank: m.members.rank, Size: len(m.members.ranks),
		World: m.world(), Name: name, Describe: p.describe, Apart: m.visited, Revoked: m.revoked,
	}
}

// newChannel returns what graphs know of it.
func (p *process) newChannel(m *membership, id uint32, name func() string) *cad.Channel {
	p.graphs.Reuse(nonblocking.of(id))
	return &cad.Channel{Context: nonblocking.of(id), Rank: m.members.rank, Size: len(m.members.ranks),
		World: m.world(), Name: name, Revoked: m.revoked}
}

// joined is the membership of an intercommunicator of two groups. All members agree which group comes first.
func (p *process) joined(local, remote *Group) membership {
	low, high := local.ranks, remote.ranks
	if !p.precedes(low, high) {
		low, high = high, low
	}
	m := single(local)
	m.peers, m.ranks = remote, remote.ranks
	m.members = newGroup(local.self, slices.Concat(low, high))
	return m
}

// nameOf returns what all members call a member: its number in the job, if they are of one job.
func (p *process) nameOf(m *membership, rank int32) int64 {
	if m.visited {
		return int64(p.root.NameOf(int(rank)))
	}
	return int64(rank)
}

func (p *process) namesOf(m *membership, ranks []int32) []int64 {
	names := make([]int64, len(ranks))
	for i, rank := range ranks {
		names[i] = p.nameOf(m, rank)
	}
	return names
}
