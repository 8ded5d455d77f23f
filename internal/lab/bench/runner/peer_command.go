package runner

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// execute runs a command of a peer and returns what it prints, also if the context ends before.
//
// Only a launcher that is told to end removes its ranks, and the files of Open MPI in
// /dev/shm; one that is killed, or told again while it does so, does not. Hence a command
// is in a process group of its own, where an interrupt from the terminal does not reach
// it. When the context ends, or this process is killed, it gets one TERM. If that has
// not ended it after the peer's patience, its group gets a KILL.
func (p *peer) execute(ctx context.Context, name string, args ...string) ([]byte, error) {
	// The death signal refers to the thread that starts the command.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	kill := time.AfterFunc(math.MaxInt64, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer kill.Stop()
	cmd.Cancel = func() error {
		kill.Reset(p.patience)
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
	}
	cmd.WaitDelay = p.patience + time.Second // for processes that have left the group
	// MPIEXEC_TIMEOUT limits jobs; a benchmark is no job.
	limited := func(set string) bool { return strings.HasPrefix(set, "MPIEXEC_TIMEOUT=") }
	cmd.Env = append(slices.DeleteFunc(os.Environ(), limited), "TMPDIR="+p.dir, "OMPI_ALLOW_RUN_AS_ROOT=1",
		"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return out, context.Cause(ctx)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code, said := exit.ExitCode(), strings.TrimSpace(stderr.String())
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			code, said = 128+int(ws.Signal()), strings.TrimSpace(said+"\nit was killed: "+ws.Signal().String())
		}
		return nil, &JobError{code, said}
	}
	return out, err
}
