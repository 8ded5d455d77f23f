package args

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		operands, wrong string
		words           []string
	}{
		{"", "", nil},
		{"", "what is this for: file", []string{"file"}},
		{"FILE", "", []string{"file"}},
		{"FILE", "there is no FILE", nil},
		{"FILE", "what is this for: 2", []string{"1", "2"}},
		{"FILE", "flags come before file: -k", []string{"file", "-k", "3"}},
		{"FILE...", "", []string{"1", "-", "3"}},
		{"FILE...", "there is no FILE...", nil},
		{"FILE...", "flags come before 1: -top", []string{"1", "-top", "3"}},
	} {
		require.Equal(t, c.wrong, check(c.words, c.operands), c)
	}
}

func TestNumber(t *testing.T) {
	n := number{5, 10}
	for _, text := range []string{"-1", "11", "99999999999999999999", "x", ""} {
		require.EqualError(t, n.Set(text), "want a number from 0 to 10")
	}
	require.NoError(t, n.Set("10"))
	require.Equal(t, "10", n.String())
}
