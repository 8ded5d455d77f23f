package window

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/datatype"
)

// Elements are updated together as long as their addresses go up within a stripe.
func TestTogether(t *testing.T) {
	const stripe = 1 << stripeShift
	type segments = []datatype.Segment
	for name, c := range map[string]struct {
		pid, at  int
		list     segments
		n, bytes int
	}{
		"all":                 {1, 0, segments{{Addr: 0, Len: 8}, {Addr: 16, Len: 8}, {Addr: 64, Len: 4}}, 3, 20},
		"near":                {0, 0, segments{{Addr: 0, Len: 8}, {Addr: 16, Len: 8}}, 2, 16},
		"one":                 {1, 0, segments{{Addr: 8, Len: 8}}, 1, 8},
		"down":                {1, 0, segments{{Addr: 32, Len: 8}, {Addr: 40, Len: 8}, {Addr: 16, Len: 8}}, 2, 16},
		"twice":               {1, 0, segments{{Addr: 32, Len: 8}, {Addr: 36, Len: 8}}, 1, 8},
		"to the end":          {1, 0, segments{{Addr: 0, Len: 8}, {Addr: stripe - 8, Len: 8}}, 2, 16},
		"over the end":        {1, 0, segments{{Addr: 0, Len: 8}, {Addr: stripe - 4, Len: 8}}, 1, 8},
		"in the next one":     {1, stripe - 16, segments{{Addr: 0, Len: 8}, {Addr: 16, Len: 8}}, 1, 8},
		"longer than one":     {1, 0, segments{{Addr: 8, Len: 2 * stripe}, {Addr: 3 * stripe, Len: 8}}, 1, 2 * stripe},
		"before displacement": {1, 64, segments{{Addr: ^uintptr(7), Len: 8}, {Addr: 8, Len: 8}}, 2, 16},
	} {
		u := update{access: access{target: &target{pid: c.pid}, at: uintptr(c.at)}}
		n, bytes := u.together(c.list)
		require.Equal(t, [2]int{c.n, c.bytes}, [2]int{n, bytes}, name)
	}
}
