package launcher

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseBinding(t *testing.T) {
	allowed := []int{0, 1, 2, 3, 8}
	cases := []struct {
		text string
		want [][]int // of ranks 0 to 3
	}{
		{"", [][]int{nil, nil, nil, nil}},
		{"none", [][]int{nil, nil, nil, nil}},
		{"core", [][]int{{0}, {1}, {2}, {3}}},
		{"3", [][]int{{3}, {3}, {3}, {3}}},
		{"0,2,1-3", [][]int{{0}, {2}, {1, 2, 3}, {0}}},
		{"8-8,0-1", [][]int{{8}, {0, 1}, {8}, {0, 1}}},
	}
	for _, c := range cases {
		b, err := ParseBinding(c.text)
		require.NoError(t, err, c.text)
		require.NoError(t, b.check(allowed))
		for rank, want := range c.want {
			require.Equal(t, want, b.cpus(rank, 4, allowed), "%s, rank %d", c.text, rank)
		}
	}
	b, err := ParseBinding("core")
	require.NoError(t, err)
	var counts [9]int
	last := 0
	for rank := range 16 { // blocks of three or four
		cpu := b.cpus(rank, 16, allowed)[0]
		require.GreaterOrEqual(t, cpu, last)
		last = cpu
		counts[cpu]++
	}
	require.Equal(t, [9]int{4, 3, 3, 3, 8: 3}, counts)
	b, err = ParseBinding("2-8")
	require.NoError(t, err)
	require.ErrorContains(t, b.check(allowed), "CPU 4 is not one of those this job may use: 0-3,8")
}

func TestParseBindingRefuses(t *testing.T) {
	for _, text := range []string{"cores", ",", "1,", "3-1", "-", "1-", "-1", "1-2-3", "1024",
		"0-99999999999999999999", "0x1", " 1", "+1"} {
		_, err := ParseBinding(text)
		require.ErrorContains(t, err, "use none, core or a list", text)
	}
}

func TestFormatCPUs(t *testing.T) {
	require.Equal(t, "", formatCPUs(nil))
	require.Equal(t, "5", formatCPUs([]int{5}))
	require.Equal(t, "0-1,3,5-7", formatCPUs([]int{0, 1, 3, 5, 6, 7}))
}

// What parses comes back as the same binding.
func FuzzParseBinding(f *testing.F) {
	for _, seed := range []string{"none", "core", "0,2,4-7", "1-", "1023", "0-1023,0-1023"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := ParseBinding(text)
		if err != nil {
			require.Zero(t, b)
			return
		}
		again, err := ParseBinding(b.String())
		require.NoError(t, err)
		require.Equal(t, b, again)
	})
}
