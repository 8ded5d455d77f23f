package mem_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/btltest"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

func newRoot(t *testing.T, ranks int) *job.Root {
	return jobtest.Create(t, job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: 2}).Root()
}

func TestConformance(t *testing.T) {
	if testkit.Race {
		t.Skip("the cases about memory synchronise through the job's mapped memory, which the race detector does not " +
			"see; the tests of pml and mpi run over this package under it")
	}
	for _, c := range btltest.Cases() {
		if c.Name == "identity" {
			continue // it wants the name of a task model, and this is none
		}
		for _, ranks := range []int{1, 2, 5} {
			t.Run(fmt.Sprintf("%s/ranks=%d", c.Name, ranks), func(t *testing.T) {
				root := newRoot(t, ranks)
				w := mem.New(root, mem.Options{})
				jobtest.Ranks(t, root, func(rank int) error { return c.Run(w.Module(rank), root, rank) })
			})
		}
	}
}

// TestCasesEnd: a rank that has failed leaves no other one waiting in a case, but where it is the
// case that a rank goes.
func TestCasesEnd(t *testing.T) {
	if testkit.Race {
		t.Skip("see TestConformance")
	}
	for _, c := range btltest.Cases() {
		if strings.HasSuffix(c.Name, "has gone") {
			continue
		}
		for failed := range 2 {
			t.Run(fmt.Sprintf("%s/rank %d", c.Name, failed), func(t *testing.T) {
				root := newRoot(t, 2)
				w := mem.New(root, mem.Options{})
				root.MarkGone(failed)
				_ = c.Run(w.Module(1-failed), root, 1-failed) // some cases need nobody
			})
		}
	}
}

// TestMisusePanics: that is what the package is for.
func TestMisusePanics(t *testing.T) {
	m := mem.New(newRoot(t, 1), mem.Options{EagerLimit: 8}).Module(0)
	poll := func() (f btl.Frame) {
		require.Equal(t, 1, m.Poll(1, func(got *btl.Frame) { f = *got }))
		return f
	}
	require.Panics(t, func() { m.Send(0, &btl.Header{}, make([]byte, 9)) })
	_, ok := m.Send(0, &btl.Header{Tag: 1}, []byte{5})
	require.True(t, ok)
	f := poll()
	require.NotEqual(t, []byte{5}, f.Payload, "an inline payload is gone after deliver")
	require.Panics(t, func() { m.Accept(&f, &btl.Buffer{}) }, "it was not offered")
	m.Release(&f)
	require.Panics(t, func() { m.Release(&f) }, "twice")
	send, ok := m.Offer(0, &btl.Header{Tag: 2}, &btl.Buffer{Bytes: []byte{6}})
	require.True(t, ok)
	f = poll()
	require.Panics(t, func() { m.Release(&f) }, "it was offered")
	dst := make([]byte, 1)
	receive := m.Accept(&f, &btl.Buffer{Bytes: dst})
	require.Panics(t, func() { m.Accept(&f, &btl.Buffer{Bytes: dst}) }, "twice")
	for _, end := range []btl.Transfer{receive, send} {
		done, err := end.Progress()
		require.NoError(t, err)
		require.True(t, done)
	}
	require.Equal(t, []byte{6}, dst)
	require.Panics(t, func() { _, _ = receive.Progress() }, "it is over")
	_, ok = m.Send(0, &btl.Header{}, nil)
	require.True(t, ok)
	require.Panics(t, func() {
		m.Poll(1, func(*btl.Frame) { m.Poll(1, nil) })
	})
}
