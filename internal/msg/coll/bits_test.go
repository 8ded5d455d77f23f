package coll

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// TestOneOrder: each algorithm gives the bits of the one order, in each world, whatever the number of members, the
// root, the length and the operator.
func TestOneOrder(t *testing.T) {
	seed := testkit.Seed(t)
	for i := range 40 {
		ranks := i + 1
		if testkit.Race && i%7 != 0 || !testkit.Long() && i > 16 && i%4 != 0 {
			continue
		}
		worlds := slices.Concat(inDomains, colltest.Worlds)
		for _, maker := range testkit.Turn(i, worlds...) {
			t.Run(fmt.Sprintf("%s/ranks=%d", maker.Name, ranks), func(t *testing.T) {
				root, rankOf := maker.Start(t, ranks, 2+i%2*38)
				require.NoError(t, errors.Join(run(t, root, rankOf, func(w *Team) error {
					return byEach(w, newDraw(seed+uint64(i)<<32))
				})...))
			})
		}
	}
}

// byEach makes a call of each reduction by each algorithm that can do it.
func byEach(w *Team, d draw) error {
	for kind := Reduce; kind <= Exscan; kind++ {
		for _, name := range Algorithms(kind) {
			w.Choice = Choice{Reproducible: true}
			w.Choice.Blocking[kind] = name
			if err := plot(newDraw(d.Uint64()), kind, w.Size, w.Rank, 20<<10).attempt(w); err != nil {
				return err
			}
		}
	}
	return nil
}
