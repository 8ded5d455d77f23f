package job

import (
	"bytes"
	"encoding/gob"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What a node says of its ranks is there again on another one, whose clock differs. Ranks of
// two nodes that wait for each other are found, which neither node can prove.
func TestRecord(t *testing.T) {
	nodes := []int{0, 0, 1}
	root := func(node int) *Root {
		host := netip.MustParseAddr("10.0.0.1")
		m, err := InHeap(Config{Ranks: 3, BTL: BTLSM, CPUs: 2, Nodes: nodes, Node: node, Host: host,
			Devices: []netip.Addr{host, host.Next()}})
		require.NoError(t, err)
		return m.Root()
	}
	here := []*Root{root(0), root(1)}
	w := Waiting{Op: OpCollective, Context: 9, Since: int64(7 * time.Second)}
	w.Collective = Collective{Name: "allreduce", Communicator: "world", Number: 3, Need: NeedPeers}
	w.Collective.Miss(2)
	here[0].SetState(1, StateInit)
	here[0].SetWaiting(1, w)
	here[0].CountCall(1, 5)
	here[0].NoteWorldCalls(1, 0)
	here[0].PublishCounters(1, 2, 40, 41)
	here[1].PublishDevice(2, 1, DeviceUse{Sent: 7, Failures: 8})
	here[1].AddUnderWay(2, 50)
	here[1].AddUnderWay(2, -50)
	here[1].SetState(2, StateInit)
	here[1].SetWaiting(2, Waiting{Op: OpRecv, Peer: 1, Tag: 4, Since: int64(time.Hour)})

	whole := root(0)
	for rank, node := range nodes {
		now := []time.Duration{10 * time.Second, time.Hour + 2*time.Second}[node]
		var b bytes.Buffer
		require.NoError(t, gob.NewEncoder(&b).Encode(here[node].Record(rank, now)))
		var c Record
		require.NoError(t, gob.NewDecoder(&b).Decode(&c))
		whole.Restore(c, 100*time.Second)
	}
	views := whole.Snapshot()
	require.False(t, views[0].Waits)
	require.Equal(t, []int{2}, views[1].For)
	require.Equal(t, "allreduce", views[1].Waiting.Collective.Name)
	require.EqualValues(t, 97*time.Second, views[1].Waiting.Since)
	require.EqualValues(t, 98*time.Second, views[2].Waiting.Since)
	ranks, cycle := Deadlocked(views)
	require.Equal(t, []int{1, 2}, ranks)
	require.Equal(t, []int{1, 2}, cycle)

	// What is under way to another node, or to one that does not answer, may go on.
	for i, note := range []func(){func() { here[1].AddUnderWay(2, 50) },
		func() { here[1].AddUnderWay(2, -50); here[1].SetSilent(2, 2, 1) }} {
		note()
		whole.Restore(here[1].Record(2, time.Hour+2*time.Second), 100*time.Second)
		views = whole.Snapshot()
		require.Equal(t, []FarSends{{UnderWay: 50}, {Silent: 2, Device: 1}}[i], views[2].Far)
		ranks, _ = Deadlocked(views)
		require.Empty(t, ranks)
	}
	whole.MarkGone(1)
	require.Zero(t, whole.FarSends(2))
	require.EqualValues(t, 1, whole.Calls(1)[5])
	n, known := whole.WorldCalls(1)
	require.Equal(t, []any{uint32(0), true}, []any{n, known})
	_, known = whole.WorldCalls(2)
	require.False(t, known)
	require.EqualValues(t, 41, whole.Counters(1)[3])
	require.Equal(t, DeviceUse{Sent: 7, Failures: 8}, whole.DeviceUse(2, 1))
	require.Zero(t, whole.DeviceUse(2, 0))
	whole.Restore(Record{Rank: 99}, 0)
}

// Members of two nodes that wait at boards of their own do not wait for the same ranks, though
// the calls have one number.
func TestMeetingsOfNodes(t *testing.T) {
	m, err := InHeap(Config{Ranks: 4, BTL: BTLSM, CPUs: 2, Nodes: []int{0, 0, 1, 1}})
	require.NoError(t, err)
	root := m.Root()
	for rank, missing := range map[int]int{0: 1, 2: 3} {
		w := Waiting{Op: OpCollective, Context: 6, Since: int64(rank + 1)}
		w.Collective = Collective{Name: "barrier", Number: 1, Need: NeedAll}
		w.Collective.Miss(missing)
		root.SetWaiting(rank, w)
	}
	views := root.Snapshot()
	require.Equal(t, []int{1}, views[0].For)
	require.Equal(t, []int{3}, views[2].For)
}
