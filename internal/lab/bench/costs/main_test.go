package costs

import (
	"os"
	"testing"

	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/launcher"
)

// The test binary is the rank program and the space host of the jobs that it starts.
func TestMain(m *testing.M) {
	launcher.HostMain()
	if rankside.RunRank(os.Args[1:], Programs) {
		return
	}
	os.Exit(m.Run())
}
