package coll

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/job"
)

func TestParseChoice(t *testing.T) {
	c, err := ParseChoice("allreduce=ring,bcast=binomial,")
	require.NoError(t, err)
	require.Equal(t, Choice{Allreduce: "ring", Bcast: "binomial"}, c)
	c, err = ParseChoice("")
	require.NoError(t, err)
	require.Equal(t, Choice{}, c)
	for text, want := range map[string]string{
		"ring":           "not of the form operation=algorithm",
		"sum=ring":       `there is no operation "sum", but barrier, bcast`,
		"none=ring":      `there is no operation "none"`,
		"bcast=sideways": `there is no algorithm "sideways", but binomial, direct`,
	} {
		_, err := ParseChoice(text)
		require.ErrorContains(t, err, want)
	}
}

// TestTableIsComplete: each operation can be done in any case, and no name is twice.
func TestTableIsComplete(t *testing.T) {
	for kind := Barrier; kind < kinds; kind++ {
		general := false
		seen := map[string]bool{}
		for _, l := range byKind[kind] {
			general = general || !l.direct && !l.regular && !l.commutes
			require.False(t, seen[l.name], "%v=%s", kind, l.name)
			seen[l.name] = true
		}
		require.True(t, general, kind)
	}
	require.LessOrEqual(t, len(algorithms), job.CallSlots, "each has a count of its calls")
}

func FuzzParseChoice(f *testing.F) {
	f.Add("allreduce=ring,bcast=binomial")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := ParseChoice(text); err == nil {
			for kind, name := range c {
				if name != "" {
					require.Contains(t, Algorithms(Kind(kind)), name)
				}
			}
		}
	})
}
