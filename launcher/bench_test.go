package launcher

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/launcher/internal/output"
	"github.com/gopvas/gopvas/pvas"
)

// A whole job: host, ranks that end at once, and the clean-up.
func BenchmarkRun(b *testing.B) {
	for _, btl := range []string{btlPvas, btlSM} {
		for _, n := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("btl=%s/ranks=%d", btl, n), func(b *testing.B) {
				if btl == btlPvas && pvas.Supported() != nil {
					b.Skip(pvas.Supported())
				}
				for b.Loop() {
					result, err := Run(b.Context(), ranks(btl, n, "true"))
					require.NoError(b, err)
					require.Zero(b, result.Code)
				}
			})
		}
	}
}

// Passing on lines of 64 bytes from one rank of several.
func BenchmarkStream(b *testing.B) {
	out, _ := output.NewSinks(nil, nil, func(error) {})
	for name, prefix := range map[string]func([]byte) []byte{
		"plain": nil, "tagged": func(to []byte) []byte { return append(to, "[0]<stdout>: "...) },
	} {
		b.Run(name, func(b *testing.B) {
			var all output.Streams
			far, err := all.Open(output.NewStream(out, 0, prefix, false, false))
			require.NoError(b, err)
			line := make([]byte, 64)
			line[63] = '\n'
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				_, err := far.Write(line)
				require.NoError(b, err)
			}
			require.NoError(b, far.Close())
			all.Drain(nil)
		})
	}
}
