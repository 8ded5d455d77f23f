// Command ends is a rank that leaves its address space at its end: ends HOOKS WAY.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"strconv"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/exit"
	"github.com/gopvas/gopvas/internal/node/sys"
)

func main() {
	hooks, err := strconv.ParseUint(os.Args[1], 0, 64)
	if err != nil {
		os.Exit(2)
	}
	exit.LeaveFirst(hooks)
	if os.Args[2] == "thread" {
		fail()
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1)
	defer os.Stdout.WriteString("deferred\n")
	switch os.Args[2] {
	case "exit 0":
		os.Exit(0)
	case "exit 3":
		os.Exit(3)
	case "signal": // it is pending at the end, and would end the program if that did not handle it
		sys.BlockSignals()
		_ = syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	case "goroutine":
		go os.Exit(0)
		select {}
	case "child": // is there still when its parent has ended
		_, _ = os.StartProcess("/bin/sleep", []string{"sleep", "100"}, &os.ProcAttr{Sys: &syscall.SysProcAttr{
			Pdeathsig: syscall.SIGKILL}})
	}
}

// fail is an end that fails. It says how many threads have been started for it.
func fail() {
	empty, err := sys.ProgramFile("empty")
	if err != nil {
		os.Exit(2)
	}
	threads := pprof.Lookup("threadcreate")
	before := threads.Count()
	_ = sys.ExecFile(empty, []string{""})
	fmt.Println(threads.Count() - before)
}
