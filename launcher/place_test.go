package launcher

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/job/jobtest"
	"github.com/gopvas/gopvas/internal/trace/symbol"
	"github.com/gopvas/gopvas/launcher/internal/hang"
)

// placingSupervisor has two ranks that wait in calls of C, and reads places by read.
func placingSupervisor(t *testing.T, read func([]hang.Call, bool) map[hang.Call]symbol.Place) *supervisor {
	memory := jobtest.Create(t, job.Config{Ranks: 2, BTL: job.BTLPvas, CPUs: 1})
	for rank := range 2 {
		memory.Root().SetWaiting(rank, job.Waiting{Op: job.OpRecv, Place: uint64(0x1000 + rank)})
	}
	s := &supervisor{plan: &plan{job: &Job{}}, memory: memory, btl: job.BTLPvas, ranks: rosterOf(2, 11, 12)}
	s.nodesEnd = t.Context()
	s.events = newEvents(context.Background(), s.job)
	s.placing = placing{read: read, known: map[hang.Call]symbol.Place{}}
	return s
}

// While places are read the supervisor serves events. What was found is not read again.
func TestPlacesAreReadBesideEvents(t *testing.T) {
	release, reads := make(chan struct{}), make(chan []hang.Call, 2)
	s := placingSupervisor(t, func(calls []hang.Call, shared bool) map[hang.Call]symbol.Place {
		require.True(t, shared)
		reads <- calls
		<-release
		return map[hang.Call]symbol.Place{calls[0]: {Function: "solve"}}
	})
	var order []string
	s.whenPlaced(func() { order = append(order, "first report") })
	go s.post(func() { order = append(order, "event") })
	s.next(nil)
	s.whenPlaced(func() { order = append(order, "second report") })
	require.Equal(t, []string{"event"}, order)
	close(release)
	s.serve(func() bool { return s.placing.then == nil })
	s.whenPlaced(func() { order = append(order, "third report") })
	require.Equal(t, []string{"event", "first report", "second report", "third report"}, order)
	require.Equal(t, []hang.Call{{Pid: 11, Address: 0x1000}, {Pid: 12, Address: 0x1001}}, <-reads)
	require.Empty(t, reads)
	require.Equal(t, symbol.Place{Function: "solve"}, s.placing.known[hang.Call{Pid: 11, Address: 0x1000}])
}

// Reports do not wait for ever for files, nor later ones again for the same.
func TestPlacesThatCannotBeRead(t *testing.T) {
	release := make(chan struct{})
	s := placingSupervisor(t, func(calls []hang.Call, _ bool) map[hang.Call]symbol.Place {
		<-release
		return map[hang.Call]symbol.Place{calls[1]: {Function: "late"}}
	})
	reports := 0
	s.whenPlaced(func() { reports++ })
	require.NotNil(t, s.placing.late)
	over := make(chan time.Time)
	close(over)
	s.placing.late = over
	s.next(nil)
	require.Equal(t, 1, reports)
	s.whenPlaced(func() { reports++ })
	require.Equal(t, 2, reports)
	close(release)
	s.next(nil)
	require.Equal(t, symbol.Place{Function: "late"}, s.placing.known[hang.Call{Pid: 12, Address: 0x1001}])
	require.Equal(t, 2, reports)
}
