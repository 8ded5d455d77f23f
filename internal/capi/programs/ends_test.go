package programs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/pvas"
)

// Ranks that share an address space leave it at their end. Before that all handlers and destructors run, and files are
// flushed.
func TestEnds(t *testing.T) {
	program := build(t, "ends.c")
	for _, btl := range []string{"pvas", "sm"} {
		if btl == "pvas" && pvas.Supported() != nil {
			continue
		}
		for _, want := range []int{0, 1, 255} {
			t.Run(fmt.Sprintf("btl=%s/code=%d", btl, want), func(t *testing.T) {
				out, errs, code := way{btl: btl}.start(t, 2, program, fmt.Sprint(want))
				require.Equal(t, want, code, errs)
				if strings.Contains(out, "cannot trace") {
					t.Skip("ptrace is not permitted")
				}
				require.Equal(t, btl == "pvas", strings.HasSuffix(out, "left\n"), "%q", out)
				require.True(t, strings.HasPrefix(out, "main\nhandler\ndestructor\n"), "%q", out)
			})
		}
	}
}
