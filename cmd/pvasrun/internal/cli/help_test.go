package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseHelps(t *testing.T) {
	all := parseHelps("What this is.\n\n[a, a b\nc]\n\nDoes\nthis.\n\nAnd that.\n\n  a x  is x\n  a y  is y\n\n" +
		"# first\na 1\n# second\na 2\n")
	require.Len(t, all, 2)
	require.Equal(t, &help{"Does this.\n\nAnd that.", "  a x  is x\n  a y  is y",
		[]string{"# first", "a 1", "# second", "a 2"}}, all["a"])
	require.Same(t, all["a"], all["a b c"])
}
