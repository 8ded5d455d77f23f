package gocmd

import (
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// endTime is how long a command that is interrupted may take to end.
const endTime = 5 * time.Second

// Run runs a command with a folder for its temporary files, which the caller removes. The command of cmd and its
// context are set, and its Cancel is not. The go command removes its temporary files by itself once it builds, also
// when this process is killed; before, a signal ends it with its folder made.
//
// When the context ends, the command and its compilers get an INT, and endTime later a KILL.
func Run(cmd *exec.Cmd, temporary string) error {
	cmd.Env = append(cmd.Environ(), "GOTMPDIR="+temporary)
	// The death signal refers to the thread that starts the command.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// A group of its own: an INT from the terminal comes through Cancel, once.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
	var kill *time.Timer
	cmd.Cancel = func() error {
		group := -cmd.Process.Pid
		kill = time.AfterFunc(endTime, func() { _ = sys.Kill(group, syscall.SIGKILL) })
		return sys.Kill(group, syscall.SIGINT)
	}
	err := cmd.Run()
	if kill != nil {
		kill.Stop()
	}
	return err
}
