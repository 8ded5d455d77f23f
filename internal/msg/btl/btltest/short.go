package btltest

import (
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
)

// shortWays sends messages round a ring, each by the short way or by another, and takes them likewise.
func shortWays(e *env) {
	short, p := e.Capabilities().Short, newPost(e)
	if short == nil {
		return
	}
	ranks := e.root.Ranks()
	next, last := (e.rank+1)%ranks, (e.rank+ranks-1)%ranks
	sent, taken := 0, 0
	for tag := range int32(1500) {
		n := int(tag) % 30
		if tag%7 == 0 {
			n = min(200, e.EagerLimit())
		}
		p.await2(func() bool {
			p.progressSends()
			if tag%3 > 0 && short.SendShort(next, 7, tag, p.message(tag, n)) {
				sent++
				return true
			}
			t, ok := e.Send(next, &btl.Header{Context: 7, Tag: tag}, p.message(tag, n))
			if t != nil {
				p.sent = append(p.sent, t)
			}
			return ok
		})
		buf := make([]byte, 200)
		takesNoOther(e, short, last, tag, buf[:n])
		var transfer btl.Transfer
		p.await2(func() bool {
			want := tag | (tag%2 - 1) // the even ones are taken by any tag: -1
			if got, which, ok := short.TakeShort(10, last, 7, want, buf); ok {
				require.EqualValues(e, tag, which)
				require.Equal(e, n, got)
				taken++
				return true
			}
			return e.Poll(1, func(f *btl.Frame) {
				require.Equal(e, tag, f.Tag)
				require.EqualValues(e, n, f.Length)
				if f.Offered {
					transfer = e.Accept(f, &btl.Buffer{Bytes: buf})
				} else {
					copy(buf, f.Payload)
					e.Release(f)
				}
			}) == 1
		})
		p.await2(func() bool { finish(e, &transfer); return transfer == nil })
		filled := make([]byte, n)
		fill(filled, mark(int32(last), tag))
		require.Equal(e, filled, buf[:n])
	}
	require.Positive(e, sent)
	require.Positive(e, taken)
	p.wait(0)
	e.barrier()
	e.Senders(func(rank int) { require.Fail(e, "a message is left", "from rank %d", rank) })
}

// takesNoOther tries calls which the oldest message, from a rank and with context 7, is not for.
func takesNoOther(e *env, short btl.Short, from int, tag int32, buf []byte) {
	require.False(e, takes(short, from, 8, tag, buf), "another context")
	require.False(e, takes(short, from, 7, tag+1, buf), "another tag")
	require.False(e, len(buf) > 0 && takes(short, from, 7, tag, buf[:len(buf)-1]), "a shorter buffer")
}

func takes(short btl.Short, from int, context uint32, tag int32, buf []byte) bool {
	_, _, ok := short.TakeShort(0, from, context, tag, buf)
	return ok
}
