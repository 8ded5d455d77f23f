package cluster

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A side that is silent is given up at the first look at which its kernel does not answer either. One whose kernel
// answers has starvedEnds time-outs, and is heard when it runs again. Looks are counted, whatever time they take.
func TestSilence(t *testing.T) {
	looks := 0
	silence := func(answers func() bool) error {
		in, out := io.Pipe()
		t.Cleanup(func() { out.Close() })
		l := newLink(in, io.Discard)
		l.timeout, looks = 20*time.Millisecond, 0
		l.kernel = func() bool {
			looks++
			return answers()
		}
		told := make(chan error, 1)
		l.beat(order{}, nil, func(err error) { told <- err })
		return <-told
	}
	require.EqualError(t, silence(func() bool { return false }), "nothing was heard from it in time (20ms)")
	require.Equal(t, 1, looks)
	require.EqualError(t, silence(func() bool { return true }), "its kernel answers, but nothing was heard from its "+
		"pvasrun for 240ms: it hangs, was stopped, or gets no CPU")
	most := beatsPerEnd - 1
	require.Equal(t, (starvedEnds-1)*most+1, looks)
	require.EqualError(t, silence(func() bool { return looks < 30 }), "nothing was heard from it in time (20ms)")
	require.Equal(t, 30, looks)
}
