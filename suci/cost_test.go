package suci

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// pingPong sends a block there and back, with one goroutine that polls for both.
func pingPong(t testing.TB, a, b *Endpoint, p, q *Peer, data []byte) {
	if err := p.TryWrite(Block{Data: data}); err != nil {
		t.Fatal(err)
	}
	for _, end := range []struct {
		e    *Endpoint
		back *Peer
	}{{b, q}, {a, nil}} {
		r, ok := end.e.TryRead()
		for ; !ok; r, ok = end.e.TryRead() {
			a.Poll()
			b.Poll()
		}
		if end.back != nil {
			if err := end.back.TryWrite(Block{Data: r.Data}); err != nil {
				t.Fatal(err)
			}
		}
		r.Free()
	}
}

func TestMessagesAllocateNothing(t *testing.T) {
	es := group(t, 2, nil)
	p, q := es[0].Peer(1), es[1].Peer(0)
	for _, n := range []int{8, 10000} {
		data := pattern(n)
		for range 100 {
			pingPong(t, es[0], es[1], p, q, data)
		}
		require.Less(t, testing.AllocsPerRun(200, func() { pingPong(t, es[0], es[1], p, q, data) }), 1.0)
	}
}

func BenchmarkPingPong(b *testing.B) {
	for _, n := range []int{8, 1024, 65536} {
		b.Run(fmt.Sprintf("bytes=%d", n), func(b *testing.B) {
			es := group(b, 2, nil)
			p, q := es[0].Peer(1), es[1].Peer(0)
			data := pattern(n)
			b.SetBytes(2 * int64(n))
			for b.Loop() {
				pingPong(b, es[0], es[1], p, q, data)
			}
		})
	}
}

func BenchmarkStream(b *testing.B) {
	for _, encrypt := range []bool{false, true} {
		b.Run(fmt.Sprintf("bytes=%d/encrypt=%v", 1<<20, encrypt), func(b *testing.B) {
			es := group(b, 2, func(o *Options) { o.Encrypt = encrypt })
			ctx := context.Background()
			data := pattern(1 << 20)
			slots := make(chan struct{}, 4)
			b.SetBytes(1 << 20)
			go func() {
				for {
					r, err := es[1].Read(ctx)
					if err != nil {
						return
					}
					r.Free()
				}
			}()
			for b.Loop() {
				slots <- struct{}{}
				if err := es[0].Peer(1).Start(Block{Data: data}, func(error) { <-slots }); err != nil {
					b.Fatal(err)
				}
			}
			if err := es[0].Flush(ctx); err != nil {
				b.Fatal(err)
			}
		})
	}
}
