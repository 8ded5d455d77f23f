package topology

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFormatList(t *testing.T) {
	require.Equal(t, "", FormatList(nil))
	require.Equal(t, "5", FormatList([]int{5}))
	require.Equal(t, "0-1,3,5-7", FormatList([]int{0, 1, 3, 5, 6, 7}))
}

func FuzzParseList(f *testing.F) {
	for _, seed := range []string{"", "0-3,8\n", "3-1", "-1", "70000", "0-2047", "5,5,4"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cpus, err := ParseList(text)
		if err != nil {
			return
		}
		again, err := ParseList(FormatList(cpus))
		require.NoError(t, err)
		require.Equal(t, cpus, again)
	})
}
