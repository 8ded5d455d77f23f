package seal

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

func TestProof(t *testing.T) {
	k, other := NewKey(), NewKey()
	p := k.Proof([]byte("hello"))
	require.True(t, k.Check([]byte("hello"), p[:]))
	require.False(t, k.Check([]byte("hellO"), p[:]))
	require.False(t, other.Check([]byte("hello"), p[:]))
}

func TestCookieIsBoundToAddressContentAndTime(t *testing.T) {
	c := NewCookies(NewKey())
	here, there := netip.MustParseAddrPort("10.0.0.1:9"), netip.MustParseAddrPort("10.0.0.1:10")
	about := []byte("about")
	cookie := c.Make(CookieLife, here, about)
	require.True(t, c.Check(CookieLife, here, about, cookie[:]))
	require.True(t, c.Check(3*CookieLife-1, here, about, cookie[:]), "the period after")
	require.False(t, c.Check(3*CookieLife, here, about, cookie[:]), "expired")
	require.False(t, c.Check(CookieLife, there, about, cookie[:]))
	require.False(t, c.Check(CookieLife, here, []byte("abouT"), cookie[:]))
	require.False(t, NewCookies(NewKey()).Check(CookieLife, here, about, cookie[:]))
}

func sessions(encrypt bool) (a, b *Session) {
	k := NewKey()
	return NewSession(&k, []byte("x"), true, encrypt), NewSession(&k, []byte("x"), false, encrypt)
}

func TestTagsBelongToDirectionAndSession(t *testing.T) {
	a, b := sessions(false)
	require.Equal(t, a.SendTag, b.ReceiveTag)
	require.Equal(t, b.SendTag, a.ReceiveTag)
	require.NotEqual(t, a.SendTag, b.SendTag)
	k := NewKey()
	require.NotEqual(t, NewSession(&k, []byte("x"), true, false).SendTag,
		NewSession(&k, []byte("y"), true, false).SendTag)
}

// packet makes a packet with the gap that Seal wants.
func packet(s string) []byte {
	b := make([]byte, 0, 128)
	b = append(b, "tag-tag-"...)
	b = append(b, make([]byte, Gap)...)
	return append(b, s...)
}

func TestSealRoundTrip(t *testing.T) {
	a, b := sessions(true)
	var scratch [12]byte
	sealed := a.Seal(packet("contents"), &scratch)
	require.Len(t, sealed, 8+len("contents")+Overhead)
	require.NotContains(t, string(sealed), "contents")
	for i := range sealed {
		changed := append([]byte(nil), sealed...)
		changed[i] ^= 1
		_, ok := b.Unseal(changed, &scratch)
		require.False(t, ok, "byte %d", i)
	}
	again := append([]byte(nil), sealed...)
	plain, ok := b.Unseal(sealed, &scratch)
	require.True(t, ok)
	require.Equal(t, "tag-tag-contents", string(plain))
	_, ok = b.Unseal(again, &scratch)
	require.False(t, ok, "a replay")
	_, ok = b.Unseal(make([]byte, tagSize+Overhead-1), &scratch)
	require.False(t, ok)
}

// The window agrees with a map of all counters, for those that it still tells of.
func TestReplayOracle(t *testing.T) {
	rng := testkit.Rand(t)
	var r replay
	seen := map[uint64]bool{}
	for range 20000 {
		c := r.highest + uint64(rng.IntN(100))
		if rng.IntN(100) == 0 {
			c += uint64(rng.IntN(5000))
		}
		c -= min(c-1, uint64(rng.IntN(3000)))
		fresh := r.fresh(c)
		if r.highest < c || r.highest/64-c/64 < replayWords-1 {
			require.Equal(t, !seen[c], fresh, "counter %d, highest %d", c, r.highest)
		} else {
			require.False(t, fresh, "too old")
		}
		if fresh {
			r.mark(c)
			seen[c] = true
		}
	}
	require.False(t, r.fresh(0))
}
