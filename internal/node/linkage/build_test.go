package linkage

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The mark is what the go command says of the executable.
func TestBuild(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	id, err := exec.Command("go", "tool", "buildid", self).Output()
	require.NoError(t, err)
	words := strings.Split(string(id), "/")
	require.NotEqual(t, unknownBuild, Build())
	require.True(t, strings.HasPrefix(words[len(words)-1], Build()), "%s %s", id, Build())
	for _, note := range []string{"", "no slash in it", "a/short"} {
		require.Equal(t, unknownBuild, buildOf([]byte(note)), note)
	}
}
