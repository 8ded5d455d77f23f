package main

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

// stopFor has a shell stop this process soon, and let it go on after d.
func stopFor(d time.Duration) error {
	pid, seconds := os.Getpid(), func(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
	script := fmt.Sprintf("sleep %s; kill -STOP %d; sleep %s; kill -CONT %d", seconds(d/8), pid, seconds(d), pid)
	return exec.Command("setsid", "sh", "-c", script).Start()
}
