package suci

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// What had come is taken in, and that ends although a packet comes for each look.
func TestBehindEndsInAFlood(t *testing.T) {
	random := testkit.Rand(t)
	for _, devices := range []int{1, 3} {
		var list []*Endpoint
		var floods []net.Conn
		for i := range devices {
			o := Options{Self: ID(i + 1), Key: NewKey(), Listen: loopback}
			if i > 0 {
				o.With = list[0]
			}
			e, err := Open(o)
			require.NoError(t, err)
			defer e.Close()
			conn, err := net.Dial("udp", e.Addr().String())
			require.NoError(t, err)
			defer conn.Close()
			list, floods = append(list, e), append(floods, conn)
		}
		const early = 20
		flood := func(least int) {
			for _, c := range floods {
				_, err := c.Write(make([]byte, least+random.IntN(1400)))
				require.NoError(t, err)
			}
		}
		for range early {
			flood(1)
		}
		looks := 0
		for behind := list[0].Behind(); behind(); looks++ {
			flood(0) // an empty one counts, too
			list[0].Poll()
			require.Less(t, looks, 10*early*1500)
		}
		for _, e := range list {
			require.GreaterOrEqual(t, e.Counters().PacketsIn, uint64(early))
		}
	}
}
