package pml_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
)

// TestIdle: a context is idle when nothing is left in it, whatever is in others.
func TestIdle(t *testing.T) {
	const a, b = 8, 9
	e := newWorld(t, 1, 1, mem.Options{}).engines[0]
	require.True(t, e.Inside().Idle(a))
	r, err := e.Irecv(a, pml.AnySource, pml.AnyTag, nil)
	require.NoError(t, err)
	require.False(t, e.Inside().Idle(a), "posted")
	require.True(t, e.Inside().Idle(b))
	require.NoError(t, e.Send(a, 0, 0, nil, pml.Standard))
	require.False(t, e.Inside().Idle(a), "not waited for")
	_, err = r.Wait()
	require.NoError(t, err)
	require.True(t, e.Inside().Idle(a))

	require.NoError(t, e.Send(b, 0, 0, []byte{1}, pml.Standard))
	require.False(t, e.Inside().Idle(b), "not received")
	require.True(t, e.Inside().Idle(a))
	_, err = e.Recv(b, 0, 0, make([]byte, 1))
	require.NoError(t, err)
	require.True(t, e.Inside().Idle(b))

	p, err := e.SendInit(a, pml.ProcNull, 0, btl.Buffer{}, pml.Standard)
	require.NoError(t, err)
	require.False(t, e.Inside().Idle(a), "not freed")
	require.NoError(t, p.Free())
	require.True(t, e.Inside().Idle(a))
}

// TestQuestionsOfPrograms: a message of a program is no question, whatever its tag, and nobody looks for one.
func TestQuestionsOfPrograms(t *testing.T) {
	const asked, program = 8, 9
	e := newWorld(t, 1, 1, mem.Options{}).engines[0]
	e.Within(func(in pml.Inside) { in.Respond(asked, func(pml.Inside) bool { return false }) })
	for _, tag := range []int{pml.AskTag, pml.MaxTag - 1, pml.MaxTag} {
		require.NoError(t, e.Send(program, 0, tag, nil, pml.Standard))
	}
	_, err := e.Recv(program, 0, pml.MaxTag, nil)
	require.NoError(t, err)
	require.Zero(t, e.Questions())
	require.NoError(t, e.Send(asked, 0, pml.AskTag, nil, pml.Standard))
	_, ok, err := e.Iprobe(asked, 0, pml.AskTag)
	require.True(t, ok && err == nil)
	require.EqualValues(t, 1, e.Questions())
}
