package lock

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

// sharedWords are the views that ranks have of the same words.
func sharedWords(t *testing.T, ranks int) (*job.Root, []*Words) {
	return wordsOf(t, job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: 2})
}

func wordsOf(t *testing.T, c job.Config) (*job.Root, []*Words) {
	ranks, root := c.Ranks, jobtest.Create(t, c).Root()
	own := comm.NewWorld(root, 0, mem.New(root, mem.Options{}).Module(0), comm.Settings{}, comm.Operators{})
	memory, all := make([]byte, Size(ranks)), make([]*Words, ranks)
	for rank := range all {
		root.Inbox(rank).Enlist(1) // else a notification counts nothing
		all[rank] = &Words{}
		all[rank].lay(own, rank, ranks, memory)
	}
	return root, all
}

// A rank that changes a word notifies those that sleep, also of many, and looks at no others.
func TestChangedNotifiesSleepers(t *testing.T) {
	const ranks = 200
	root, all := sharedWords(t, ranks)
	wakes := func() (list []int) {
		var before [ranks]uint32
		for rank := range all {
			before[rank] = root.Inbox(rank).Count()
		}
		all[1].Changed()
		for rank := range all {
			if root.Inbox(rank).Count() != before[rank] {
				list = append(list, rank)
			}
		}
		return list
	}
	require.Empty(t, wakes())
	for _, rank := range []int{0, 63, 64, 199} {
		all[rank].asleep(1)
		all[rank].records[rank].lock.Store(^uint64(0)) // the words of others are beside the bits
	}
	all[64].asleep(1)
	require.Equal(t, []int{0, 63, 64, 199}, wakes())
	all[0].asleep(-1)
	all[64].asleep(-1)
	require.Equal(t, []int{63, 64, 199}, wakes(), "one goroutine of rank 64 sleeps on")
	for _, rank := range []int{63, 64, 199} {
		all[rank].asleep(-1)
	}
	require.Empty(t, wakes())
	require.Equal(t, make([]uint64, 4), loaded(all[0]))
}

// Whoever gives something back wakes those that sleep.
func TestGivesWake(t *testing.T) {
	root, all := sharedWords(t, 3)
	all[0].asleep(1)
	w := all[1]
	var stripe *Stripe
	for name, c := range map[string]struct {
		take func() error
		give func()
	}{
		"alone":         {func() error { return w.Lock(2, true) }, func() { w.Give(2, 1, true) }},
		"beside others": {func() error { return w.Lock(2, false) }, func() { w.Give(2, 1, false) }},
		"all":           {func() error { return w.LockAll(1, 2) }, w.UnlockAll},
		"stripe": {
			func() (err error) { stripe, err = w.Enter(0, false); return err },
			func() { w.Leave(stripe) }},
	} {
		require.NoError(t, c.take())
		before := root.Inbox(0).Count()
		c.give()
		require.NotEqual(t, before, root.Inbox(0).Count(), name)
	}
}

func loaded(w *Words) (words []uint64) {
	for i := range w.asleepBits() {
		words = append(words, w.asleepBits()[i].Load())
	}
	return words
}

// Goroutines of a rank that come and go leave its bit as it should be.
func TestSleepersOfOneRank(t *testing.T) {
	_, all := sharedWords(t, 3)
	for _, stay := range []uint64{0, 1} {
		if stay != 0 {
			all[2].asleep(1)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 5000 {
					all[2].asleep(1)
					all[2].asleep(-1)
				}
			})
		}
		wg.Wait()
		require.Equal(t, []uint64{stay << 2}, loaded(all[0]))
		require.EqualValues(t, stay, all[0].head.sleepers.Load())
	}
}
