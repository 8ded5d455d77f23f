package debug

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
)

// script makes gdb find a rank's code, and unwind from Go into C.
//
//go:embed gdb.py
var script string

const usage = "PID [PROGRAM OFFSET] [-- ARGUMENTS OF GDB]"

// Execute replaces pvasrun by gdb, attached to a rank. The arguments are those that pvasrun -v prints for it.
func Execute(args []string) error {
	args, err := cli.Parse("pvasrun debug", usage, &struct{}{}, args)
	if err != nil {
		return err
	}
	argv, err := command(args)
	if err != nil {
		return cli.Mistake(fmt.Errorf("debug: %w", err))
	}
	gdb, err := exec.LookPath("gdb")
	if err != nil {
		return fmt.Errorf("debug: %w: install gdb", err)
	}
	return fmt.Errorf("debug: %s: %w", gdb, syscall.Exec(gdb, argv, os.Environ()))
}

// command is the command line of gdb.
func command(args []string) ([]string, error) {
	const what = "pvasrun -v prints the command for each rank"
	var more []string
	for i, a := range args {
		if a == "--" {
			args, more = args[:i], args[i+1:]
			break
		}
	}
	if len(args) != 1 && len(args) != 3 {
		return nil, errors.New("write pvasrun debug " + usage + ": " + what)
	}
	if pid, err := strconv.Atoi(args[0]); err != nil || pid < 1 {
		return nil, fmt.Errorf("%q is no process: %s", args[0], what)
	}
	if len(args) == 1 && ofThisProgram(args[0]) {
		return nil, fmt.Errorf("process %s is a rank in one address space, if it is a rank: give PROGRAM and OFFSET, "+
			"too; %s", args[0], what)
	}
	argv := []string{"gdb", "-iex", "set confirm off", "-p", args[0]}
	if len(args) == 3 { // the kernel takes pvasrun for the program
		argv = append(argv, "-ex", "symbol-file")
	}
	argv = append(argv, "-ex", "python exec("+strconv.QuoteToASCII(script)+")")
	if len(args) == 3 {
		offset, err := strconv.ParseUint(strings.TrimPrefix(args[2], "0x"), 16, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no address such as 0x7f8000625000: %s", args[2], what)
		}
		argv = append(argv, "-ex", fmt.Sprintf("python rank_symbols(%s, %d)", strconv.QuoteToASCII(args[1]), offset))
	}
	return append(argv, more...), nil
}

// ofThisProgram tells whether the kernel takes pvasrun for the program of a process.
func ofThisProgram(pid string) bool {
	own, err := os.Stat("/proc/self/exe")
	if err != nil {
		return false
	}
	other, err := os.Stat("/proc/" + pid + "/exe")
	return err == nil && os.SameFile(own, other)
}
