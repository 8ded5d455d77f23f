package mail

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi/fault"
)

// memory is a btl.Memory of ranks in this process, on Go's heap: there the race detector sees it.
type memory struct{ direct bool }

// given is what memory has given out: peers hold addresses.
var given [][]byte

func (m memory) Name() string               { return "test" }
func (m memory) Direct() bool               { return m.direct }
func (m memory) Close() error               { return nil }
func (m memory) Clear(mem []byte, _ uint64) { clear(mem) }
func (m memory) Alloc(n int) ([]byte, uint64, error) {
	mem := make([]byte, n+cacheLine)
	mem = mem[-sys.AddrOf(mem)%cacheLine:][:n:n]
	given = append(given, mem)
	return mem, uint64(sys.AddrOf(mem)), nil
}
func (m memory) Attach(_ int, at uint64, n int) ([]byte, error) {
	return bytesAt(at, n), nil
}

// boxes opens the boxes of a job. Their memory stays until the test binary ends.
func boxes(t *testing.T, ranks int, direct bool, tune job.Settings) (*job.Root, []*Box) {
	t.Helper()
	mem, err := job.InHeap(job.Config{Ranks: ranks, BTL: job.BTLPvas, CPUs: ranks, Settings: tune})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, mem.Close()) })
	all := make([]*Box, ranks)
	for i := range all {
		all[i], err = Open(memory{direct}, mem.Root(), i)
		require.NoError(t, err)
	}
	return mem.Root(), all
}

func tags(b *Box) (tags []int32) {
	b.Poll(1000, func(f *btl.Frame) {
		tags = append(tags, f.Tag)
		if !f.Offered {
			b.Release(f)
		}
	})
	return tags
}

func senders(b *Box) (ranks []int) {
	b.Senders(func(rank int) { ranks = append(ranks, rank) })
	return ranks
}

// TestKilledWhileSending: a rank killed between claim and publish holds up the
// others' messages only until it is known to be gone.
func TestKilledWhileSending(t *testing.T) {
	root, b := boxes(t, 3, true, job.Settings{})
	require.True(t, sends(b[1], 0, btl.Header{Tag: 1}, nil))
	require.True(t, sends(b[2], 0, btl.Header{Tag: 2}, nil))
	s, _ := b[2].claim(b[2].meet(0))
	require.NotNil(t, s) // and here it is killed
	require.True(t, sends(b[1], 0, btl.Header{Tag: 3}, []byte("x")))
	require.Equal(t, []int{1, 2, 1}, senders(b[0]), "also of what is behind")
	require.Equal(t, []int32{1, 2}, tags(b[0]))
	require.Empty(t, tags(b[0]))
	require.Equal(t, []int{1}, senders(b[0]))
	root.MarkGone(1) // another one: no reason to skip
	require.Empty(t, tags(b[0]))
	root.MarkGone(2)
	require.Equal(t, []int32{3}, tags(b[0]), "of rank 1, which has gone since, but sent it")
	require.Empty(t, senders(b[0]))
}

// TestEarlySender: the peer's mailbox is not open yet.
func TestEarlySender(t *testing.T) {
	mem, err := job.InHeap(job.Config{Ranks: 2, BTL: job.BTLPvas, CPUs: 2})
	require.NoError(t, err)
	b, err := Open(memory{true}, mem.Root(), 0)
	require.NoError(t, err)
	require.False(t, sends(b, 1, btl.Header{}, nil))
	_, ok := b.Offer(1, &btl.Header{}, &btl.Buffer{})
	require.False(t, ok)
	sent := make(chan error)
	go func() { sent <- b.Sleep(func() bool { return sends(b, 1, btl.Header{Tag: 9}, nil) }, nil) }()
	late, err := Open(memory{true}, mem.Root(), 1)
	require.NoError(t, err)
	require.NoError(t, <-sent)
	require.Equal(t, []int32{9}, tags(late))
}

// TestSenderKilledInTheMiddle: of a shared transfer, having claimed a chunk; and of a
// pipelined one, having filled a part.
func TestSenderKilledInTheMiddle(t *testing.T) {
	for _, direct := range []bool{true, false} {
		root, b := boxes(t, 2, direct, job.Settings{SingleCopy: job.SingleCopyNone})
		src, dst := make([]byte, 1<<20), make([]byte, 1<<20)
		s, ok := b[1].Offer(0, &btl.Header{}, &btl.Buffer{Bytes: src})
		require.True(t, ok)
		var r btl.Transfer
		b[0].Poll(1, func(f *btl.Frame) { r = b[0].Accept(f, &btl.Buffer{Bytes: dst}) })
		require.NotNil(t, r)
		if direct {
			s.(*sendTransfer).d.claim(false, cut{take: uint64(len(src))})
		} else {
			_, err := s.Progress()
			require.NoError(t, err)
		}
		for range 100 {
			done, err := r.Progress()
			require.NoError(t, err)
			require.False(t, done)
		}
		root.MarkGone(1)
		var done bool
		var err error
		for !done {
			done, err = r.Progress()
		}
		var lost *fault.LostError
		require.ErrorAs(t, err, &lost)
		require.Equal(t, 1, lost.Rank)
	}
}

// TestSenderThatIsEnding: the kernel has taken its memory away, and its supervisor does not know
// that yet. The receiver does not fail before.
func TestSenderThatIsEnding(t *testing.T) {
	root, b := boxes(t, 2, false, job.Settings{SingleCopy: job.SingleCopyCMA})
	sender := exec.Command("true")
	require.NoError(t, sender.Start())
	defer func() { require.NoError(t, sender.Wait()) }()
	require.Eventually(t, func() bool {
		_, err := sys.ReadProcess(sender.Process.Pid, 4096, make([]byte, 1))
		return errors.Is(err, syscall.ESRCH) // a zombie until Wait
	}, 20*time.Second, time.Millisecond)
	require.NoError(t, root.Claim(1, sender.Process.Pid))
	_, ok := b[1].Offer(0, &btl.Header{}, &btl.Buffer{Bytes: make([]byte, 1<<20)})
	require.True(t, ok)
	var r btl.Transfer
	b[0].Poll(1, func(f *btl.Frame) { r = b[0].Accept(f, &btl.Buffer{Bytes: make([]byte, 1<<20)}) })
	for range 100 {
		done, err := r.Progress()
		require.NoError(t, err)
		require.False(t, done)
	}
	root.MarkGone(1)
	_, err := r.Progress()
	var lost *fault.LostError
	require.ErrorAs(t, err, &lost)
}

// TestReceiverKilledInTheMiddle: having accepted and copied a part.
func TestReceiverKilledInTheMiddle(t *testing.T) {
	for _, direct := range []bool{true, false} {
		root, b := boxes(t, 2, direct, job.Settings{SingleCopy: job.SingleCopyNone})
		s, ok := b[1].Offer(0, &btl.Header{}, &btl.Buffer{Bytes: make([]byte, 1<<20)})
		require.True(t, ok)
		b[0].Poll(1, func(f *btl.Frame) { b[0].Accept(f, &btl.Buffer{Bytes: make([]byte, 1<<20)}) })
		root.MarkGone(0)
		var done bool
		var err error
		for !done {
			done, err = s.Progress()
		}
		var lost *fault.LostError
		require.ErrorAs(t, err, &lost)
		require.Equal(t, 0, lost.Rank)
		require.Len(t, b[1].unused, descriptors, "the descriptor is free again")
		require.EqualValues(t, 1<<lanes-1, b[1].freeLane)
	}
}

// TestPrefillLeavesLanes: offers that nobody accepts cannot hold up one that is.
func TestPrefillLeavesLanes(t *testing.T) {
	_, b := boxes(t, 2, false, job.Settings{SingleCopy: job.SingleCopyNone})
	var sent []btl.Transfer
	for range 20 {
		s, ok := b[1].Offer(0, &btl.Header{}, &btl.Buffer{Bytes: make([]byte, 200_000)})
		require.True(t, ok)
		sent = append(sent, s)
	}
	for range 50 {
		for _, s := range sent {
			_, err := s.Progress()
			require.NoError(t, err)
		}
	}
	var frames []btl.Frame
	b[0].Poll(100, func(f *btl.Frame) { frames = append(frames, *f) })
	r := b[0].Accept(&frames[19], &btl.Buffer{Bytes: make([]byte, 200_000)})
	for done := false; !done; {
		_, err := sent[19].Progress()
		require.NoError(t, err)
		done, err = r.Progress()
		require.NoError(t, err)
	}
}

// TestShortOffer: between processes a short message travels in its descriptor, packed if a
// buffer has a layout.
func TestShortOffer(t *testing.T) {
	_, b := boxes(t, 2, false, job.Settings{})
	vector, err := datatype.Vector(4, 1, 2, datatype.Byte)
	require.NoError(t, err)
	column, err := vector.Times(1)
	require.NoError(t, err)
	require.LessOrEqual(t, int(column.Size()), shortOffer)
	src, dst := []byte{1, 0, 2, 0, 3, 0, 4}, make([]byte, 7)
	layout := func(b []byte) btl.Buffer {
		return btl.Buffer{Bytes: b, Layout: &column, Base: sys.AddrOf(b)}
	}
	for name, c := range map[string]struct {
		from, to btl.Buffer
		want     []byte
	}{
		"typed to typed": {layout(src), layout(dst), []byte{1, 9, 2, 9, 3, 9, 4}},
		"typed to plain": {layout(src), btl.Buffer{Bytes: dst}, []byte{1, 2, 3, 4, 9, 9, 9}},
		"plain to typed": {btl.Buffer{Bytes: []byte{5, 6, 7, 8}}, layout(dst), []byte{5, 9, 6, 9, 7, 9, 8}},
		"plain to a shorter": {btl.Buffer{Bytes: []byte{5, 6, 7, 8}}, btl.Buffer{Bytes: dst[:2]},
			[]byte{5, 6, 9, 9, 9, 9, 9}},
	} {
		for i := range dst {
			dst[i] = 9
		}
		s, ok := b[1].Offer(0, &btl.Header{}, &c.from)
		require.True(t, ok, name)
		require.Equal(t, 1, b[0].Poll(1, func(f *btl.Frame) { require.Nil(t, b[0].Accept(f, &c.to), name) }))
		require.Equal(t, c.want, dst, name)
		done, err := s.Progress()
		require.NoError(t, err)
		require.True(t, done, name)
	}
}

// sends tells whether a message was sent.
func sends(b *Box, to int, h btl.Header, payload []byte) bool {
	_, ok := b.Send(to, &h, payload)
	return ok
}
