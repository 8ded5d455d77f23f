package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/internal/lab/loggps/waits"
	"github.com/gopvas/gopvas/internal/lab/replay"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
	"github.com/gopvas/gopvas/trace"
)

const (
	ms     = 1_000_000
	kib    = 1 << 10
	atFile = 99 // the place of calls on a file
)

// plain is a machine: 10 µs for a message, 1 ns for a byte.
var plain = loggps.Params{L: 8_000, O: 1_000, Gs: 1, Gl: 1, Packet: 1 << 20, Sync: 4 * kib}

// compute computes in the calls of a rank before a place.
func compute(m pattern.Member, ns int64, place uint32) {
	m.Site = 0
	m.Calc(ns)
	m.Site = place
}

// lateReceiver is a program whose ranks both compute, one before and one behind a message.
func lateReceiver(bytes int64) func(m pattern.Member) {
	return func(m pattern.Member) {
		for range 20 {
			if m.Rank == 0 {
				m.Site = 10
				m.Send(bytes, 1)
				compute(m, 3*ms, 11)
			} else {
				compute(m, 3*ms, 20)
				m.Recv(bytes, 0)
				m.Site = 21
			}
			m.Dissemination()
		}
	}
}

// planted are programs that lose time for one reason, and what the first lines say of it.
var planted = []struct {
	name    string
	ranks   int
	on      loggps.Params
	program func(m pattern.Member)
	want    []string // in one line
}{
	{"late sender", 2, plain, func(m pattern.Member) {
		for range 20 {
			if m.Rank == 0 {
				compute(m, 3*ms, 10)
				m.Send(64, 1)
				m.Site = 11
				m.Recv(64, 1)
				continue
			}
			m.Site = 20
			r := m.Irecv(64, 0)
			m.Site = 21
			m.Wait(r)
			compute(m, 3*ms, 22)
			m.Send(64, 0)
		}
	}, []string{"late sender: rank 0 computes before send at x.c:10", "rank 1 for 60", "in waitall at x.c:21"}},
	{"late receiver", 2, plain, lateReceiver(200 * kib),
		[]string{"late receiver: rank 1 computes before recv at x.c:20", "rank 0 for 60", "in send at x.c:10"}},
	{"rendezvous", 2, plain, lateReceiver(16 * kib),
		[]string{"rendezvous: rank 1 computes before recv at x.c:20", "rank 0 for 60", "in send at x.c:10"}},
	{"imbalance", 4, plain, func(m pattern.Member) {
		for range 20 {
			work := int64(1 * ms)
			if m.Rank == 2 {
				work = 3 * ms
			}
			compute(m, work, 10)
			m.RecursiveDoubling(8)
		}
	}, []string{"imbalance: rank 2 computes most before", "at x.c:10"}},
	{"serial chain", 6, plain, func(m pattern.Member) {
		for range 10 {
			if m.Rank > 0 {
				m.Site = 11
				m.Recv(64, m.Rank-1)
			}
			compute(m, 1*ms, 10)
			m.Send(64, (m.Rank+1)%m.Ranks)
			if m.Rank == 0 {
				m.Site = 12
				m.Recv(64, m.Ranks-1)
			}
		}
	}, []string{"serial chain: ranks 0 to 5 compute one after another before send at x.c:10", "in recv at x.c:1"}},
	{"hot root", 6, plain, func(m pattern.Member) {
		for range 10 {
			compute(m, ms/10, 10)
			if m.Rank == 0 {
				for from := 1; from < m.Ranks; from++ {
					m.Site = 11
					m.Recv(600*kib, from)
				}
			} else {
				m.Send(600*kib, 0)
			}
		}
	}, []string{"hot rank: ", "rank 0 in recv at x.c:11", "in send at x.c:10"}},
	{"contention", 4, plain.Shared(4), func(m pattern.Member) {
		for range 20 {
			compute(m, ms/10, 10)
			if m.Rank%2 == 0 {
				m.Send(300*kib, m.Rank+1)
			} else {
				m.Recv(300*kib, m.Rank-1)
			}
		}
	}, []string{"contention: messages take 3.71 times as long as alone", "ranks 0 to 3", "in recv at x.c:10"}},
	{"small messages", 2, plain, func(m pattern.Member) {
		m.Site = 10
		m.PingPong(8, 500)
	}, []string{"small messages: ranks 0 and 1", "recv at x.c:10: 1000 calls, 1000 messages of 8 B"}},
	{"slow file", 3, plain, func(m pattern.Member) {
		for range 5 {
			compute(m, ms, 10)
			if m.Rank == 1 {
				m.Site = atFile
				m.Calc(4 * ms)
				m.Site = 11
			}
			m.Dissemination()
		}
	}, []string{"slow file: rank 1 is in file_write at x.c:99"}},
}

// TestPlantedCauses: the first three lines name the reason, the place and the rank.
func TestPlantedCauses(t *testing.T) {
	for _, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			g, err := pattern.Program(p.ranks, p.program)
			require.NoError(t, err)
			r, err := sim.Run(g, sim.Options{Machine: loggps.Single(p.on)})
			require.NoError(t, err)
			machine := loggps.Single(plain)
			run := replay.Pieces(recordOf(r))
			lines := tell(run, waits.Analyze(run, costOn(&machine)))
			require.True(t, slices.ContainsFunc(lines, func(line string) bool {
				return !slices.ContainsFunc(p.want, func(part string) bool { return !strings.Contains(line, part) })
			}), "%q in one of:\n%s", p.want, strings.Join(lines, "\n"))
			if p.name != "imbalance" && p.name != "slow file" {
				require.NotContains(t, strings.Join(lines, ""), "imbalance", "all compute the same")
			}
			require.NotContains(t, strings.Join(lines, ""), "delay")
			require.NotContains(t, strings.Join(lines, ""), "all go to rank 0 in send", "where others call it")
		})
	}
}

// TestPlantedLock: rank 1 has the lock of a window while it computes, and rank 0 wants it.
func TestPlantedLock(t *testing.T) {
	sites := []string{"", "x.c:1", "x.c:2", "x.c:3", "x.c:4"}
	event := func(k trace.Kind, site uint16, start, end int64) trace.Event {
		return trace.Event{Kind: k, Site: site, Start: start, End: end, Context: 7, Peer: 1}
	}
	var first, second []trace.Event
	for at := int64(0); at < 100*ms; at += 10 * ms {
		second = append(second, event(trace.WinLock, 3, at, at+10), event(trace.WinUnlock, 4, at+5*ms, at+5*ms+20))
		first = append(first, event(trace.WinLock, 1, at+ms, at+5*ms+10),
			event(trace.WinUnlock, 2, at+9*ms, at+9*ms+10))
	}
	job := &trace.Trace{Meta: trace.Meta{Ranks: 2, CPUs: 2}, End: &trace.End{},
		Ranks: []trace.Rank{{Events: first, Sites: sites}, {Events: second, Sites: sites}}}
	machine := loggps.Single(plain)
	run := replay.Pieces(job)
	lines := tell(run, waits.Analyze(run, costOn(&machine)))
	require.Contains(t, lines[0], "lock of a window: rank 1 computes before win_unlock at x.c:4")
	require.Contains(t, lines[0], "rank 0 for 40 ms in win_lock at x.c:1")
}

// recordOf is the trace that a job would have recorded that ran as simulated.
func recordOf(r *sim.Result) *trace.Trace {
	g := r.Graph()
	t := &trace.Trace{Meta: trace.Meta{Ranks: g.Ranks(), CPUs: g.Ranks()}, End: &trace.End{}}
	sites, numbers, pairs := []string{""}, map[graph.ID]uint32{}, map[[2]int32]uint32{}
	for place := range atFile {
		sites = append(sites, fmt.Sprintf("x.c:%d", place+1))
	}
	for id := range graph.ID(g.Len()) {
		if op := g.Op(id); op.Kind.Sends() {
			pair := [2]int32{op.Rank, op.Peer}
			pairs[pair]++
			numbers[id], numbers[r.Mate(id)] = pairs[pair], pairs[pair]
		}
	}
	for rank := range g.Ranks() {
		events := []trace.Event{{Kind: trace.Init, Peer: trace.Any}}
		var open []uint32
		span := g.Of(rank)
		for id := span.First; id < span.End; id++ {
			op := g.Op(id)
			e := trace.Event{Start: int64(r.Start(id)), End: int64(r.End(id)), Site: uint16(op.Site), Peer: op.Peer,
				Bytes: uint64(op.Size), Message: numbers[id], Flags: trace.By(trace.Eager)}
			if !r.Links()[0].Eager(op.Size) {
				e.Flags = trace.By(trace.Rendezvous)
			}
			point := e
			point.Start, point.Request = point.End, uint32(id)+1
			e.Request = point.Request
			switch op.Kind {
			case graph.Send:
				e.Kind, e.Request = trace.Send, 0
			case graph.Recv:
				e.Kind, e.Request = trace.Recv, 0
			case graph.Isend, graph.Irecv:
				point.Kind = trace.Sent
				if e.Kind = trace.Isend; op.Kind == graph.Irecv {
					e.Kind, point.Kind = trace.Irecv, trace.Received
				}
				e.Message, e.End = 0, e.Start+int64(r.Links()[0].O)
				events = append(events, point)
				open = append(open, e.Request)
			case graph.Wait:
				for _, request := range open {
					events = append(events, trace.Event{Kind: trace.Taken, Start: e.End, End: e.End, Request: request})
				}
				e.Kind, e.Request, open = trace.WaitAll, uint32(len(open)), nil
			case graph.Calc:
				if op.Site != atFile {
					continue
				}
				e.Kind = trace.FileWrite
			}
			events = append(events, e)
		}
		end := int64(r.Finish[rank])
		events = append(events, trace.Event{Kind: trace.Finalize, Start: end, End: end, Peer: trace.Any})
		t.Ranks = append(t.Ranks, trace.Rank{Events: events, Sites: sites})
	}
	return t
}
