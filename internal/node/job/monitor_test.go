package job_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// slackAtInit is that of the first thread after the package under test has been initialised.
var slackAtInit = sys.TimerSlack()

// The process that a launcher starts has the monitor's slack, and its first thread the usual one.
func TestMonitorSlack(t *testing.T) {
	if os.Getenv("MONITOR_SLACK_CHILD") != "" {
		fmt.Println("first thread:", slackAtInit)
		return
	}
	usual := sys.TimerSlack()
	started := func(argv ...string) string {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), "MONITOR_SLACK_CHILD=1")
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, "%s", out)
		return string(out)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread ends here, and its slack
		slack := job.MonitorSlackOf(64, 2)
		job.StartWithMonitorSlack(slack)
		assert.Equal(t, 10*job.MonitorSlack, slack)
		assert.Equal(t, 204*job.MonitorSlack, job.MonitorSlackOf(4096, 2), "a turn of each in that time")
		assert.Equal(t, job.MonitorSlack, job.MonitorSlackOf(63, 2))
		assert.Equal(t, fmt.Sprint(slack), strings.TrimSpace(started("cat", "/proc/self/timerslack_ns")))
		assert.Contains(t, started("/proc/self/exe", "-test.run=^TestMonitorSlack$", "-test.v"),
			fmt.Sprintf("first thread: %d\n", usual))
	}()
	<-done
}
