package host

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The thread that starts ranks has short slices, which they inherit.
func TestRanksGetShortSlices(t *testing.T) {
	p := NewParent(0, 0)
	defer p.Close()
	var text []byte
	require.NoError(t, p.do(func() error {
		text, _ = os.ReadFile("/proc/thread-self/sched") // an error: it is empty
		return nil
	}))
	words := regexp.MustCompile(`(?m)^se\.slice\s*:\s*(\d+)$`).FindSubmatch(text)
	if words == nil {
		t.Skip("the kernel does not tell slices")
	}
	slice, err := strconv.Atoi(string(words[1]))
	require.NoError(t, err)
	require.LessOrEqual(t, slice, int(rankSlice))
}
