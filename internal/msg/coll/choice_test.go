package coll

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
)

func TestParseChoice(t *testing.T) {
	c, err := ParseChoice("allreduce=tree,bcast=binomial,iallreduce=shares,")
	require.NoError(t, err)
	require.Equal(t, Choice{
		Blocking: [kinds]string{Allreduce: "tree", Bcast: "binomial"},
		Graphs:   [kinds]string{Allreduce: "shares"},
	}, c)
	c, err = ParseChoice("")
	require.NoError(t, err)
	require.Equal(t, Choice{}, c)
	for text, want := range map[string]string{
		"ring":           "not of the form operation=algorithm",
		"sum=ring":       `there is no operation "sum", but barrier, bcast`,
		"none=ring":      `there is no operation "none"`,
		"inone=ring":     `and with an i in front, such as ibcast`,
		"bcast=sideways": `there is no algorithm "sideways", but binomial, chain, direct`,
		"ibcast=direct":  `there is no algorithm "direct", but binomial, chain`,
	} {
		_, err := ParseChoice(text)
		require.ErrorContains(t, err, want)
	}
}

// Each choice is one that ParseChoice takes, and there is one for each operation.
func TestChoices(t *testing.T) {
	_, err := ParseChoice(strings.Join(Choices(), ","))
	require.NoError(t, err)
	require.Subset(t, Choices(), []string{"barrier=tree", "bcast=binomial", "ibcast=chain"})
}

// TestTableIsComplete: each operation can be done in any case, and no name is twice.
func TestTableIsComplete(t *testing.T) {
	for kind := Barrier; kind < kinds; kind++ {
		general := false
		seen := map[string]bool{}
		for _, l := range byKind[kind] {
			general = general || l.build != nil && !l.regular
			require.False(t, seen[l.name], "%v=%s", kind, l.name)
			seen[l.name] = true
		}
		require.True(t, general, kind)
	}
	require.Less(t, programSlot, job.CallSlots, "each has a count of its calls")
}

func FuzzParseChoice(f *testing.F) {
	f.Add("allreduce=tree,bcast=binomial,iscan=chain")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := ParseChoice(text); err == nil {
			for kind := range kinds {
				require.Contains(t, append(Algorithms(kind), ""), c.Blocking[kind])
				require.Contains(t, append(GraphAlgorithms(kind), ""), c.Graphs[kind])
			}
		}
	})
}
