package sim

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/goal"
)

// The programs in testdata were made by this repository, random ones and collectives. Each
// begins with the parameters and with the finish times, by rank, that LogGOPSim
// (spcl/LogGOPSim, 76451de) has found for them. Ours must be the same.
func TestLikeLogGOPSim(t *testing.T) {
	files, err := filepath.Glob("testdata/loggopsim/*.goal")
	require.NoError(t, err)
	require.Greater(t, len(files), 20)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		lines := strings.SplitN(string(text), "\n", 3)
		var m loggps.LogGOPS
		_, err = fmt.Sscanf(lines[0], "// L=%g o=%g g=%g G=%g O=%g S=%d", &m.L, &m.Overhead, &m.Gap,
			&m.GapByte, &m.OverByte, &m.S)
		require.NoError(t, err, name)
		g, err := goal.Read(bytes.NewReader(text), name)
		require.NoError(t, err)
		r := run(t, g, Options{Machine: loggps.Single(m.Params()), Mode: LogGOPS})
		var finish []string
		for _, f := range r.Finish {
			finish = append(finish, fmt.Sprintf("%.0f", f))
		}
		assert.Equal(t, strings.TrimPrefix(lines[1], "// finish "), strings.Join(finish, " "), name)
	}
}
