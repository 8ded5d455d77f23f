package suci

import (
	"context"
	"encoding/binary"
	"errors"
	"net/netip"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// player makes random calls of an endpoint, and knows what each may answer. The endpoint and its peer
// share a loop, so whoever waits drives both.
//
// No call waits for what nobody does. A call that waits for the peer has another goroutine read there meanwhile
// (reading); one to the peer that does not exist has a context that has ended. The least pace is 4 MiB/s.
type player struct {
	t       *testing.T
	e       *Endpoint
	other   *Endpoint // the peer of ID 1; that of ID 2 does not exist
	handles []*handle // all that Destination has returned
	sent    []*sentBlock
	last    [8]int // number of the last block that came at each priority, from 1 on
	closed  bool
	broken  bool
}

type handle struct {
	*Peer
	removed bool
	copies  []*sentBlock // not flushed
}

type sentBlock struct {
	data           []byte
	arrived, acked bool
	pending        bool // its done is to be called
}

const (
	fuzzLimit = 64 << 10  // QueueLimit
	tooLong   = 200 << 10 // for the least PeerMemory
)

// hang is the time after which a call counts as one that hangs. go test -fuzz gives an input 10 s.
const hang = 8 * time.Second

var fuzzSizes = [...]int{0, 1, 1000, copyLimit, copyLimit + 1, 40000, fuzzLimit, tooLong}

// newPlayer opens the endpoints.
func newPlayer(t *testing.T) *player {
	g := &player{t: t}
	o := Options{Key: NewKey(), Listen: loopback, PeerMemory: leastMemory, QueueLimit: fuzzLimit, Timeout: time.Hour}
	var err error
	g.e, err = Open(o)
	require.NoError(t, err)
	o.Self, o.With = 1, g.e
	g.other, err = Open(o)
	require.NoError(t, err)
	g.destination(1)
	return g
}

func (g *player) destination(id ID) {
	addr := g.other.Addr()
	if id != 1 {
		addr = netip.MustParseAddrPort("127.0.0.1:1")
	}
	p, err := g.e.Destination(id, addr)
	if g.closed {
		require.ErrorIs(g.t, err, ErrClosed)
		return
	}
	require.NoError(g.t, err)
	for _, h := range g.handles {
		if h.Peer == p {
			return
		}
	}
	g.handles = append(g.handles, &handle{Peer: p})
}

// refusal is the error of every block to a peer now, if there is one.
func (g *player) refusal(h *handle) error {
	g.e.mu.Lock()
	defer g.e.mu.Unlock()
	switch {
	case g.broken:
		return g.e.failure
	case h.removed:
		return ErrGone
	case g.closed:
		return ErrClosed
	}
	return nil
}

// block makes a block that can be told from all others.
func (g *player) block(size int, how byte) (*sentBlock, Block) {
	s := &sentBlock{data: make([]byte, size)}
	g.sent = append(g.sent, s)
	if size >= 4 {
		binary.BigEndian.PutUint32(s.data[size-4:], uint32(len(g.sent)))
	}
	b := Block{Data: s.data, Priority: how & 1}
	if how&2 != 0 {
		b.Deadline = time.Now()
	}
	return s, b
}

// judge checks the error that a block was refused with. It may be one of those that are allowed.
func (g *player) judge(h *handle, s *sentBlock, err error, allowed ...error) {
	if refusal := g.refusal(h); refusal != nil {
		require.ErrorIs(g.t, err, refusal)
		return
	}
	if len(s.data) == tooLong {
		allowed = append(allowed, ErrTooLong)
	}
	for _, a := range allowed {
		if errors.Is(err, a) {
			return
		}
	}
	require.NoError(g.t, err)
}

// whyNot are the errors that a block to a peer may end with while the endpoint is in order.
var whyNot = []error{ErrDeadline, ErrGone, ErrRestarted, ErrTooLong}

func (g *player) tryWrite(h *handle, size int, how byte) {
	s, b := g.block(size, how)
	err := h.TryWrite(b)
	if err == nil {
		h.copies = append(h.copies, s)
	}
	if len(h.copies) > 0 {
		g.judge(h, s, err, ErrWouldBlock)
		return
	}
	g.judge(h, s, err)
}

func (g *player) write(h *handle, size int, how byte) {
	ctx, cancel := context.WithTimeout(g.t.Context(), hang)
	defer cancel()
	allowed := whyNot
	if h.ID() != 1 || how&4 != 0 {
		cancel()
		allowed = append([]error{context.Canceled}, whyNot...)
	}
	s, b := g.block(size, how)
	var err error
	g.reading(func() { err = h.Write(ctx, b) })
	g.judge(h, s, err, allowed...)
	switch {
	case err != nil:
	case size <= copyLimit:
		h.copies = append(h.copies, s)
	default:
		s.acked = true
	}
}

func (g *player) start(h *handle, size int, how byte) {
	s, b := g.block(size, how)
	s.pending = true
	err := h.Start(b, func(err error) {
		assert.True(g.t, s.pending, "done is called once") // by any goroutine
		s.pending, s.acked = false, err == nil
	})
	if err != nil {
		require.True(g.t, s.pending, "done is not called of what was refused")
		s.pending = false
	}
	g.judge(h, s, err)
}

// flush waits for nothing, or for the peer that answers.
func (g *player) flush(h *handle, how byte) {
	ctx, cancel := context.WithTimeout(g.t.Context(), hang)
	defer cancel()
	if h.ID() != 1 || how&4 != 0 {
		cancel()
	}
	var err error
	g.reading(func() { err = h.Flush(ctx) })
	if err == nil {
		for _, s := range h.copies {
			s.acked = true
		}
	}
	require.NotErrorIs(g.t, err, context.DeadlineExceeded)
	if !errors.Is(err, context.Canceled) {
		h.copies = nil
	}
}

// await waits until there is room, or until it is known that nobody makes any.
func (g *player) await(h *handle) {
	ctx, cancel := context.WithTimeout(g.t.Context(), hang)
	defer cancel()
	if h.ID() != 1 {
		cancel()
	}
	var err error
	g.reading(func() { err = h.Wait(ctx, 0) })
	require.NotErrorIs(g.t, err, context.DeadlineExceeded)
}

// breakSocket has the endpoint fail.
func (g *player) breakSocket() {
	if g.closed || g.broken {
		return
	}
	g.broken = true
	destroy(g.t, g.e)
	g.e.Poll()
	_, err := g.e.Rest(0, true, func() bool { return false })
	require.ErrorIs(g.t, err, syscall.ENOTSOCK)
}

// receive takes in what has come to the peer: each block once, in order, and as it was sent.
func (g *player) receive() {
	for r, ok := g.other.TryRead(); ok; r, ok = g.other.TryRead() {
		g.take(r)
	}
}

// take checks a block that came.
func (g *player) take(r Received) {
	require.NoError(g.t, r.Err)
	if n := len(r.Data); n >= 4 {
		number := int(binary.BigEndian.Uint32(r.Data[n-4:]))
		require.Greater(g.t, number, g.last[r.Priority], "once and in order")
		g.last[r.Priority] = number
		require.Equal(g.t, g.sent[number-1].data, r.Data)
		g.sent[number-1].arrived = true
	}
	r.Free()
}

// reading makes a call and reads at the peer until it returns.
func (g *player) reading(call func()) {
	ctx, cancel := context.WithCancel(g.t.Context())
	go func() {
		defer cancel()
		call()
	}()
	for {
		r, err := g.other.Read(ctx)
		if err != nil {
			require.ErrorIs(g.t, err, context.Canceled)
			return
		}
		g.take(r)
	}
}

func (g *player) close() {
	require.NoError(g.t, g.e.Close())
	g.closed = true
}

// play makes the call that two bytes say.
func (g *player) play(what, how byte) {
	h := g.handles[int(what>>4)%len(g.handles)]
	size := fuzzSizes[how>>5]
	switch what & 15 {
	case 0, 1:
		g.tryWrite(h, size, how)
	case 2, 3, 4:
		g.write(h, size, how)
	case 5, 6:
		g.start(h, size, how)
	case 7:
		g.e.Remove(h.Peer)
		h.removed = h.removed || !g.closed
	case 8, 9:
		g.destination(ID(1 + how&1))
	case 10:
		g.flush(h, how)
	case 11:
		if p := g.other.Peer(0); p != nil {
			g.other.Remove(p)
		}
	case 12:
		g.receive()
	case 13:
		g.e.Poll()
		h.Retransmit()
		h.SetPace(int(how) << 22)
		g.await(h)
	case 14:
		if how < 64 {
			g.close()
		}
	case 15:
		if how < 64 {
			g.breakSocket()
		}
	}
	g.check(h)
}

// check looks at what the endpoint counts and keeps.
func (g *player) check(h *handle) {
	g.e.mu.Lock()
	defer g.e.mu.Unlock()
	require.GreaterOrEqual(g.t, h.queued, 0)
	if h.state.Queue() == 0 {
		require.Zero(g.t, h.queued)
	}
	free := map[*outgoing]bool{}
	for _, o := range g.e.blocks {
		require.False(g.t, free[o], "twice free")
		free[o] = true
		require.True(g.t, o.peer == nil && o.done == nil && o.Data == nil && len(o.buffer) == 0 && !o.ended)
	}
}

// end closes all, and checks that each block has ended as its sender was told.
func (g *player) end() {
	g.close()
	for _, h := range g.handles {
		require.Zero(g.t, h.QueueLength())
		g.check(h)
	}
	g.receive()
	for _, s := range g.sent {
		require.False(g.t, s.pending, "done is called")
		require.True(g.t, s.arrived || !s.acked || len(s.data) < 4)
	}
	for _, size := range fuzzSizes { // whatever has happened, blocks go on to be refused
		require.Error(g.t, g.handles[0].Write(g.t.Context(), Block{Data: make([]byte, size)}))
	}
	closing <- struct{}{}
	closed.Go(func() {
		_ = g.other.Close()
		<-closing
	})
}

// The end of a loop takes up to a tick of the keeper. So it goes on beside the next inputs.
var (
	closing = make(chan struct{}, 32)
	closed  sync.WaitGroup
)

// FuzzEndpoint calls an endpoint in any order, beside failures of all kinds. No call waits for ever, each block ends
// once, and no block is damaged by one that was refused before it.
func FuzzEndpoint(f *testing.F) {
	f.Cleanup(closed.Wait)
	// Flush, a copy that is too long, a long block
	f.Add([]byte{0x02, 0x20, 0x0a, 0, 0x00, 0xe0, 0x02, 0xa0})
	// a copy to a removed peer, a long block to another
	f.Add([]byte{0x07, 0, 0x08, 0, 0x00, 0x40, 0x12, 0xa0})
	f.Add([]byte{0x09, 1, 0x12, 0xa4, 0x10, 0xc0, 0x10, 0xc0, 0x0f, 0, 0x10, 0xc0}) // a full queue, the socket fails
	// the peer goes, the endpoint is closed
	f.Add([]byte{0x05, 0xa0, 0x0b, 0, 0x02, 0xa0, 0x05, 0x80, 0x0e, 0, 0x05, 0xa0})
	// a full queue, and a wait for room
	f.Add([]byte("00,0\x00\x00\x84\xee\x00\x00d\xee\t\t\xdd0Z0\xf0\xf0\xf0\xf0\xdd0Z\x000\x80"))
	f.Add([]byte("00\x80\xc0\x0e\x11CF\xac\x83\b\x9b\x883\xa80\x00\x02\x00\x00d\x96d00003\xa8"))
	f.Fuzz(func(t *testing.T, calls []byte) {
		g := newPlayer(t)
		calls = calls[:min(len(calls), 40)] // the fuzzer goes on to longer and longer ones
		for ; len(calls) >= 2; calls = calls[2:] {
			g.play(calls[0], calls[1])
		}
		g.end()
	})
}
