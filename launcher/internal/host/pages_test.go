package host

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Ranks get huge pages when all of them are in Init, and not before.
func TestHugePagesFromInit(t *testing.T) {
	if sys.HugePagesAreOff() || sys.UnadvisedHugePagesOff() != nil {
		t.Skip("this process has none, or cannot be without")
	}
	defer sys.HugePagesOn()
	memory, err := job.Create(job.Config{Ranks: 2, BTL: job.BTLPvas, CPUs: 1})
	require.NoError(t, err)
	defer memory.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		hugePagesFrom(memory.Root(), 2)
	}()
	require.NoError(t, memory.Root().Reach(job.HoldInit))
	require.True(t, sys.HugePagesAreOff())
	require.NoError(t, memory.Root().Reach(job.HoldInit))
	<-done
	require.False(t, sys.HugePagesAreOff())
}
