package regions

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRegions: what is attached is found, byte for byte. If there is more than has room nobody is refused.
func TestRegions(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for range 100 {
		const bytes = 100
		var table regions
		var is [bytes]bool
		var list []region
		for at := 0; at < bytes; at += random.IntN(8) {
			r := region{uintptr(at), random.IntN(min(8, bytes-at))}
			list = insert(list, r)
			for range r.bytes {
				is[at], at = true, at+1
			}
		}
		table.tell(list)
		for lo := range bytes {
			for hi := lo + 1; hi <= bytes; hi++ {
				if has := table.have(uint64(lo), uint64(hi)); has == slices.Contains(is[lo:hi], false) {
					require.Fail(t, "wrong answer", "%d to %d: %v of %v", lo, hi, has, list)
				}
			}
		}
	}
	var table regions
	table.tell(make([]region, mostRegions+1))
	require.True(t, table.have(1, 2))
	table.tell(make([]region, mostRegions))
	require.False(t, table.have(1, 2))
}
