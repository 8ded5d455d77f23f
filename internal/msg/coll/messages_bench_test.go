package coll

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
)

// BenchmarkByMessages times calls of one rank: what a kept graph costs beside its messages.
func BenchmarkByMessages(b *testing.B) {
	for _, kind := range []Kind{Barrier, Allreduce} {
		b.Run(kind.String(), func(b *testing.B) {
			root, rankOf := colltest.Worlds[0].Start(b, 1, 2)
			b.ReportAllocs()
			for rank, err := range run(b, root, rankOf, func(w *Team) error {
				a := simple(kind, w, 8)
				for range b.N {
					if err := w.Run(a); err != nil {
						return err
					}
				}
				return nil
			}) {
				require.NoError(b, err, "rank %d", rank)
			}
		})
	}
}
