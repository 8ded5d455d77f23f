package job

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSettings(t *testing.T) {
	r, err := Settings{}.Resolve()
	require.NoError(t, err)
	require.Equal(t, Settings{EagerLimit: 4096, RingBlock: 32 << 10, Spin: 32000, PeerTimeout: time.Minute,
		Thresholds: Thresholds{ShareFrom: 48 << 10, SoloSpinning: 8 << 10, SoloSleeping: 64 << 10}}, r)
	for _, bad := range []Settings{
		{EagerLimit: -1}, {EagerLimit: MostEagerLimit + 1}, {RingBlock: 4095}, {RingBlock: 2 * MaxRingBlock},
		{RingBlock: -4096}, {Spin: 1<<30 + 1}, {SingleCopy: 3},
		{Helpers: -1}, {Helpers: MaxRanks + 1}, {PeerTimeout: time.Second - 1}, {PeerTimeout: MostPeerTimeout + 1},
		{Coll: strings.Repeat("x", maxCollLength+1)}, {Coll: "a\x00b"},
		{Progress: strings.Repeat("x", maxProgressLength+1)}, {Progress: "\x00"},
		{Thresholds: Thresholds{ShareFrom: -1}}, {Thresholds: Thresholds{PipelineFrom: Never + 1}},
		{Thresholds: Thresholds{SoloSpinning: -1}}, {Thresholds: Thresholds{SoloSleeping: Never + 1}},
	} {
		_, err := bad.Resolve()
		require.Error(t, err, "%+v", bad)
		_, err = Create(Config{Ranks: 1, BTL: BTLSM, CPUs: 1, Settings: bad})
		require.Error(t, err)
	}
	want := Settings{EagerLimit: 100, RingBlock: 8192, Spin: 77, SingleCopy: SingleCopyCMA,
		Coll: strings.Repeat("x", maxCollLength), Progress: strings.Repeat("y", maxProgressLength),
		Helpers: 3, Check: true, PeerTimeout: 90 * time.Second,
		Thresholds: Thresholds{ShareFrom: 1, PipelineFrom: 2, SoloSpinning: 3, SoloSleeping: Never}}
	mem, err := Create(Config{Ranks: 2, BTL: BTLSM, CPUs: 2, Settings: want})
	require.NoError(t, err)
	require.Equal(t, want, mem.Root().Settings())
	require.Equal(t, 77, mem.Root().Spin())
	require.Equal(t, 3, mem.Root().SoloLimit())
	require.NoError(t, mem.Close())
	mem, err = Create(Config{Ranks: 3, BTL: BTLSM, CPUs: 2, Settings: want})
	require.NoError(t, err)
	require.Zero(t, mem.Root().Spin(), "more ranks than CPUs")
	require.Equal(t, Never, mem.Root().SoloLimit())
	require.NoError(t, mem.Close())
}

// Numbers that somebody has chosen stay, others come from what was measured.
func TestSettingsOr(t *testing.T) {
	measured := Settings{EagerLimit: 8192, Spin: 100,
		Thresholds: Thresholds{ShareFrom: 5, PipelineFrom: 6, SoloSpinning: 7, SoloSleeping: 8}}
	require.Equal(t, measured, Settings{}.Or(measured))
	chosen := Settings{EagerLimit: 1024, Spin: -1, Coll: "bcast=tree", Check: true}
	want := chosen
	want.Thresholds = measured.Thresholds
	require.Equal(t, want, chosen.Or(measured))
	require.Equal(t, chosen, chosen.Or(Settings{Coll: "reduce=tree", Helpers: 3}),
		"texts and switches are not measured")
}

func TestParseSingleCopy(t *testing.T) {
	for _, s := range []SingleCopy{SingleCopyAuto, SingleCopyNone, SingleCopyCMA} {
		have, err := ParseSingleCopy(s.String())
		require.NoError(t, err)
		require.Equal(t, s, have)
	}
	_, err := ParseSingleCopy("xpmem")
	require.ErrorContains(t, err, "none of auto, none, cma")
}

// inMemory is a job in Go memory, so that the race detector sees it.
func inMemory(ranks int) *Root {
	return initRoot(heapRoot(ranks), Config{Ranks: ranks, BTL: BTLPvas, CPUs: 1}, 0, 0)
}

func TestWaiting(t *testing.T) {
	r := inMemory(2)
	_, ok := r.Waiting(1)
	require.False(t, ok)
	w := Waiting{Op: OpRecv, Peer: AnyPeer, Tag: -5, Context: 7, Bytes: 1 << 40, Since: 123, Place: 1 << 50}
	r.SetWaiting(1, w)
	have, ok := r.Waiting(1)
	require.True(t, ok)
	require.Equal(t, w, have)
	_, ok = r.Waiting(0)
	require.False(t, ok)
	r.ClearWaiting(1)
	_, ok = r.Waiting(1)
	require.False(t, ok)

	const name = "MPI_Intercomm_create_from_groups"
	call := name
	r.NameCalls(func() (string, uint64) { return call, uint64(len(call)) })
	for _, call = range []string{name, "MPI_Recv", ""} { // longest first
		r.SetWaiting(1, w)
		have, _ = r.Waiting(1)
		require.Equal(t, call, have.Call)
		require.EqualValues(t, len(call), have.Place)
	}

	for _, w.Refused = range []string{strings.Repeat("refused ", 16), "bcast: why", ""} { // longest first
		r.SetWaiting(1, w)
		have, _ = r.Waiting(1)
		require.Equal(t, w.Refused, have.Refused)
	}

	r.SetWaiting(1, w)
	r.ranks[1].waiting.seq.Add(1) // killed while it wrote
	_, ok = r.Waiting(1)
	require.False(t, ok, "and it ends")
	for _, rank := range []int{-1, 2} {
		r.SetWaiting(rank, w)
		r.ClearWaiting(rank)
		_, ok = r.Waiting(rank)
		require.False(t, ok)
	}
	require.Equal(t, "recv", OpRecv.String())
	require.Equal(t, "unknown", Op(99).String())
}

// TestWaitingIsReadAsAWhole: the writer changes all fields together; no reader sees
// two records mixed, also when seq wraps.
func TestWaitingIsReadAsAWhole(t *testing.T) {
	r := inMemory(1)
	r.ranks[0].waiting.seq.Store(1<<32 - 100)
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := int32(1); !stop.Load(); i++ {
			r.SetWaiting(0, Waiting{Op: OpSend, Peer: i, Tag: i, Context: uint32(i), Bytes: uint64(i), Since: int64(i)})
			if i%3 == 0 {
				r.ClearWaiting(0)
			}
		}
	})
	whole := 0
	for deadline := time.Now().Add(100 * time.Millisecond); whole == 0 || time.Now().Before(deadline); {
		if w, ok := r.Waiting(0); ok {
			i := w.Peer
			if w != (Waiting{Op: OpSend, Peer: i, Tag: i, Context: uint32(i), Bytes: uint64(i), Since: int64(i)}) {
				t.Errorf("mixed record %+v", w)
			}
			whole++
		}
	}
	stop.Store(true)
	wg.Wait()
}

func TestMailboxes(t *testing.T) {
	r := inMemory(3)
	_, ok := r.Mailbox(0, 1)
	require.False(t, ok)
	found := make(chan uint64)
	go func() {
		var at uint64
		err := r.Inbox(0).Wait(func() (ok bool) { at, ok = r.Mailbox(0, 1); return ok })
		if err != nil {
			t.Error(err)
		}
		found <- at
	}()
	time.Sleep(time.Millisecond) // most likely it sleeps now; right in any case
	r.OpenMailbox(1, 0)
	require.Zero(t, <-found)
	r.OpenMailbox(2, 4096)
	at, ok := r.Mailbox(0, 2)
	require.True(t, ok)
	require.EqualValues(t, 4096, at)
	for _, rank := range []int{-1, 3} {
		_, ok = r.Mailbox(0, rank)
		require.False(t, ok)
		_, ok = r.Mailbox(rank, 1)
		require.False(t, ok)
		require.Nil(t, r.Inbox(rank))
		require.False(t, r.Gone(rank))
		r.OpenMailbox(rank, 1)
	}
}

// TestOpenMailboxWakesFew: a rank that looks for one mailbox is not woken for those of others.
func TestOpenMailboxWakesFew(t *testing.T) {
	r := inMemory(4)
	_, ok := r.Mailbox(0, 3)
	require.False(t, ok)
	inbox := r.Inbox(0)
	inbox.Enlist(1) // as if it slept
	before := inbox.Count()
	r.OpenMailbox(1, 0)
	r.OpenMailbox(2, 0)
	require.Equal(t, before, inbox.Count())
	r.OpenMailbox(3, 0)
	require.Equal(t, before+1, inbox.Count())
}

// TestMarkGoneWakesInboxes: a rank that sleeps on its inbox looks again.
func TestMarkGoneWakesInboxes(t *testing.T) {
	r := inMemory(2)
	done := make(chan error)
	go func() { done <- r.Inbox(0).Wait(func() bool { return r.Gone(1) }) }()
	time.Sleep(time.Millisecond)
	require.Zero(t, r.GoneCount())
	r.MarkGone(1)
	require.NoError(t, <-done)
	require.Equal(t, 1, r.GoneCount())
	require.False(t, r.Gone(0))
}

func TestCounters(t *testing.T) {
	r := inMemory(2)
	r.PublishCounters(1, 0, 5, 6)
	r.PublishCounters(1, CounterSlots-1, 7, 8)
	r.PublishCounters(1, -1, 9)
	r.PublishCounters(2, 0, 9)
	c := r.Counters(1)
	require.EqualValues(t, []uint64{5, 6, 0}, c[:3])
	require.EqualValues(t, 7, c[CounterSlots-1])
	require.Zero(t, r.Counters(0))
	require.Zero(t, r.Counters(2))
}

func TestCalls(t *testing.T) {
	r := inMemory(2)
	for _, slot := range []int{0, CallSlots - 1, 0, -1, CallSlots} {
		r.CountCall(1, slot)
	}
	r.CountCall(2, 0)
	c := r.Calls(1)
	require.EqualValues(t, 2, c[0])
	require.EqualValues(t, 1, c[CallSlots-1])
	require.Zero(t, r.Calls(0))
	require.Zero(t, r.Calls(2))
}

func TestCMAVerdict(t *testing.T) {
	r := inMemory(2)
	_, known := r.CMA()
	require.False(t, known)
	r.NoteCMA(false)
	r.NoteCMA(true)
	works, known := r.CMA()
	require.True(t, known)
	require.False(t, works, "the first verdict counts")
}
