package launcher

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
)

// A job of one rank that nobody has started may start pvasrun, to have it start others: see package
// internal/msg/attendant. The supervisor then has a guest: its rank 0 is no child, and the memory of the job is the
// guest's.

// Descriptors of an attendant, as job.AttendantName says.
const (
	memoryFd = 3
	newsFd   = 4
)

// serveAttendant serves, and does not return, if this process has been started as an attendant.
func serveAttendant() {
	if len(os.Args) == 0 || os.Args[0] != job.AttendantName {
		return
	}
	syscall.CloseOnExec(memoryFd)
	syscall.CloseOnExec(newsFd)
	memory, news := os.NewFile(memoryFd, "pvas-job"), os.NewFile(newsFd, "news")
	serve := attend
	if len(os.Args) == 1 {
		serve = leaveGuest
	}
	if err := serve(memory, news); err != nil {
		text := strings.ReplaceAll(err.Error(), "\n", "; ")
		if _, err := fmt.Fprintln(news, text); err != nil { // nobody has started it so
			fmt.Fprintf(os.Stderr, "%s: %s\n", job.AttendantName, text)
		}
		os.Exit(fate.CodeError)
	}
	os.Exit(0)
}

// leaveGuest starts this program again, as a process that is no child of the guest. It has a process group of its own:
// a signal of the terminal is for the guest, whose end ends the others.
func leaveGuest(memory, news *os.File) error {
	_, err := sys.Start("/proc/self/exe", []string{job.AttendantName, "serve"}, os.Environ(), "",
		[]*os.File{os.Stdin, os.Stdout, os.Stderr, memory, news}, &syscall.SysProcAttr{Setpgid: true})
	return err
}

// attend runs the job of a guest to its end.
func attend(file, news *os.File) error {
	memory, err := job.Map(file)
	if err != nil {
		return err
	}
	pid := memory.Root().Pid(0)
	program, err := os.Readlink(processes.File(pid, "exe"))
	if err != nil {
		return fmt.Errorf("launcher: the program that has started pvasrun: %w", err)
	}
	if own, err := os.Executable(); err == nil {
		_ = os.Setenv(job.EnvBacktrace, own) // an error: then ranks report offsets
	}
	signals, stop := ForwardedSignals()
	defer stop()
	ready := false
	_, err = Run(context.Background(), Job{
		Apps: []App{{Program: program, N: 1}}, BTL: btlSM, guest: memory,
		Stdout: os.Stdout, Stderr: os.Stderr, Signals: signals,
		Started: func(Processes) {
			ready = true
			_, _ = io.WriteString(news, "\n") // an error: the guest has ended
		},
	})
	if ready && err != nil {
		fmt.Fprintln(os.Stderr, "pvasrun:", err)
		return nil
	}
	return err
}

// HostMain must be the first call of main in every program that calls Run: Run
// executes the program again as the space host and as the guard of a job. In those
// processes HostMain serves and does not return; in any other it returns at once.
func HostMain() {
	host.Serve()
	serveAttendant()
}
