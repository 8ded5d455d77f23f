package job

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// survivors is a job whose ranks take part.
func survivors(t *testing.T, ranks int) *Root {
	m, err := InHeap(Config{Ranks: ranks, Places: ranks + 2, BTL: BTLSM, CPUs: 1, Settings: Settings{Survive: true}})
	require.NoError(t, err)
	for rank := range ranks {
		m.Root().SetState(rank, StateInit)
	}
	return m.Root()
}

// Each rank reads every revocation once, in one order, and none is overwritten that a rank has not read.
func TestRevocations(t *testing.T) {
	r := survivors(t, 2)
	events := r.EventCounter().Load()
	last := uint32(1<<revokedIDBits - 1)
	for n := range uint32(3 * revocations) {
		require.True(t, Revoke(r, Revocation{last - n, math.MaxUint32 - n}))
		for rank := range 2 {
			v, ok := Revoked(r, rank)
			require.True(t, ok)
			require.True(t, v.Is(last-n, math.MaxUint32-n))
			require.False(t, v.Is(last-n, math.MaxUint32-n-1))
			_, ok = Revoked(r, rank)
			require.False(t, ok)
		}
	}
	require.EqualValues(t, 3*revocations, r.EventCounter().Load()-events)
	require.True(t, IsRevoked(r, last-3*revocations+1, math.MaxUint32-3*revocations+1))
	require.False(t, IsRevoked(r, 1, 1))

	for n := range uint32(revocations) {
		require.True(t, Revoke(r, Revocation{n, 0}))
	}
	require.False(t, Revoke(r, Revocation{}), "nobody has read them")
	for range revocations {
		_, ok := Revoked(r, 0)
		require.True(t, ok)
	}
	require.False(t, Revoke(r, Revocation{}), "rank 1 has not")
	r.MarkGone(1)
	require.True(t, Revoke(r, Revocation{7, 7}), "and never will")
	v, ok := Revoked(r, 0)
	require.True(t, ok && v.Is(7, 7))
}

// A rank that took no part for long begins with what is left.
func TestRevocationsOfALatecomer(t *testing.T) {
	r := survivors(t, 2)
	r.SetState(1, StateFinal)
	for n := range uint32(2*revocations + 5) {
		require.True(t, Revoke(r, Revocation{n, 0}))
		_, ok := Revoked(r, 0)
		require.True(t, ok)
	}
	r.SetState(1, StateInit)
	for n := range uint32(revocations) {
		v, ok := Revoked(r, 1)
		require.True(t, ok && v.Is(revocations+5+n, 0), "%d: %v", n, v)
	}
	_, ok := Revoked(r, 1)
	require.False(t, ok)
}

// Of several that revoke at a time each is read once by all.
func TestRevocationsMeet(t *testing.T) {
	r := survivors(t, 4)
	const each = 50
	var wg sync.WaitGroup
	for rank := range uint32(4) {
		wg.Go(func() {
			for n := range uint32(each) {
				if !Revoke(r, Revocation{rank*each + n, rank}) {
					t.Error("no room")
				}
			}
		})
	}
	wg.Wait()
	for rank := range 4 {
		seen := map[Revocation]bool{}
		for v, ok := Revoked(r, rank); ok; v, ok = Revoked(r, rank) {
			require.False(t, seen[v])
			seen[v] = true
		}
		require.Len(t, seen, 4*each)
	}
}

// Who revokes finds the end also if a rank is far behind, and refuses rather than overwrite.
func TestRevocationsBehind(t *testing.T) {
	r := survivors(t, 2)
	r.SetState(1, StateFinal)
	for n := range uint32(3 * revocations) {
		require.True(t, Revoke(r, Revocation{n, 0}))
		_, ok := Revoked(r, 0)
		require.True(t, ok)
	}
	r.SetState(1, StateInit) // its number is 0
	require.False(t, Revoke(r, Revocation{1, 1}))
	for _, ok := Revoked(r, 1); ok; _, ok = Revoked(r, 1) {
	}
	require.True(t, Revoke(r, Revocation{1, 1}))
	for rank := range 2 {
		v, ok := Revoked(r, rank)
		require.True(t, ok && v.Is(1, 1))
	}
	w, err := r.AddWorld(1, 0, 1)
	require.NoError(t, err)
	r.SetState(w.First, StateInit)
	require.True(t, Revoke(r, Revocation{2, 2}))
	v, ok := Revoked(r, w.First)
	require.True(t, ok && v.Is(2, 2))
}

// A rank that is added cannot have heard of those that had ended before.
func TestLetGoOfALatecomer(t *testing.T) {
	r := survivors(t, 3)
	r.MarkGone(2)
	LetGo(r, 0, 1)
	w, err := r.AddWorld(1, 0, 1)
	require.NoError(t, err)
	require.Zero(t, AllLetGo(r), "rank 1 has not")
	LetGo(r, 1, 1)
	require.EqualValues(t, 1, AllLetGo(r))
	r.MarkGone(1)
	LetGo(r, 0, 2)
	require.EqualValues(t, 1, AllLetGo(r), "the new one has not")
	LetGo(r, w.First, 2)
	require.EqualValues(t, 2, AllLetGo(r))
}
