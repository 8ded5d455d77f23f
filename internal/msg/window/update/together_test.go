package update

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/window/lock"
)

// Elements are updated together as long as their addresses go up within a stripe.
func TestTogether(t *testing.T) {
	const stripe = lock.StripeBytes
	type segments = []datatype.Segment
	for name, c := range map[string]struct {
		at       int
		list     segments
		n, bytes int
	}{
		"all":                 {0, segments{{Addr: 0, Len: 8}, {Addr: 16, Len: 8}, {Addr: 64, Len: 4}}, 3, 20},
		"near":                {0, segments{{Addr: 0, Len: 8}, {Addr: 16, Len: 8}}, 2, 16},
		"one":                 {0, segments{{Addr: 8, Len: 8}}, 1, 8},
		"down":                {0, segments{{Addr: 32, Len: 8}, {Addr: 40, Len: 8}, {Addr: 16, Len: 8}}, 2, 16},
		"twice":               {0, segments{{Addr: 32, Len: 8}, {Addr: 36, Len: 8}}, 1, 8},
		"to the end":          {0, segments{{Addr: 0, Len: 8}, {Addr: stripe - 8, Len: 8}}, 2, 16},
		"over the end":        {0, segments{{Addr: 0, Len: 8}, {Addr: stripe - 4, Len: 8}}, 1, 8},
		"in the next one":     {stripe - 16, segments{{Addr: 0, Len: 8}, {Addr: 16, Len: 8}}, 1, 8},
		"longer than one":     {0, segments{{Addr: 8, Len: 2 * stripe}, {Addr: 3 * stripe, Len: 8}}, 1, 2 * stripe},
		"before displacement": {64, segments{{Addr: ^uintptr(7), Len: 8}, {Addr: 8, Len: 8}}, 2, 16},
		"down beyond it":      {64, segments{{Addr: 0, Len: 8}, {Addr: ^uintptr(15), Len: 8}}, 1, 8},
	} {
		u := Update{Place: Place{At: uintptr(c.at)}}
		n, bytes := u.together(c.list)
		require.Equal(t, [2]int{c.n, c.bytes}, [2]int{n, bytes}, name)
	}
}
