package btltest

import (
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
)

// zeroCopySends: messages of SendZeroCopy arrive whole and in order, whether the receiver takes them soon, late, or
// while they fall back. When Progress says done the sender's buffer is its own again.
func zeroCopySends(e *env) {
	send := e.Capabilities().SendZeroCopy
	if send == nil {
		return
	}
	p := newPost(e)
	n := e.root.Ranks()
	rng := rand.New(rand.NewPCG(13, uint64(e.rank)))
	each := 1200 / n
	for tag := range int32(each) {
		p.hold = rng.IntN(4) == 0
		for to := range n {
			p.sendZeroCopy(send, to, tag, rng.IntN(e.EagerLimit()+1))
			for range rng.IntN(3) * 80 { // without a look at what has come
				p.progressSends()
			}
		}
		if rng.IntN(8) == 0 {
			p.letGo()
		}
	}
	p.hold = false
	p.letGo()
	p.wait(each * n)
	p.sync(1)
}

// zeroCopySend is btl.Capabilities.SendZeroCopy.
type zeroCopySend = func(peer int, h *btl.Header, payload []byte) (btl.Transfer, bool)

// sendZeroCopy sends a message, and spoils its buffer when the message is over. Without credit, of which nobody tells
// when it comes back, the message is offered.
func (p *post) sendZeroCopy(send zeroCopySend, to int, tag int32, n int) {
	src := p.message(tag, n)
	p.await(func() bool {
		h := p.header(to, tag, n)
		t, ok := send(to, h, src)
		if !ok {
			t, ok = p.Offer(to, h, &btl.Buffer{Bytes: src})
		}
		switch {
		case t != nil:
			p.sent = append(p.sent, spoiler{t, src})
		case ok:
			clear(src)
		}
		return ok
	})
}

// spoiler is a transfer at whose end its buffer is overwritten.
type spoiler struct {
	btl.Transfer
	src []byte
}

func (s spoiler) Progress() (done bool, err error) {
	if done, err = s.Transfer.Progress(); done {
		clear(s.src)
	}
	return done, err
}

// progressSends makes progress for what this rank has sent.
func (p *post) progressSends() {
	for i := 0; i < len(p.sent); i++ {
		if done, err := p.sent[i].Progress(); done {
			require.NoError(p, err)
			p.sent = append(p.sent[:i], p.sent[i+1:]...)
			i--
		}
	}
}
