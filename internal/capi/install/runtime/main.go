package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/gopvas/gopvas/internal/capi/install"
)

func main() {
	if err := printFlags(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "runtime:", err)
		os.Exit(1)
	}
}

func printFlags(args []string) error {
	if len(args) != 1 {
		return errors.New("name one folder")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	flags, err := install.WithoutFramePointers(strings.TrimSpace(string(root)), args[0])
	if err != nil {
		return err
	}
	_, err = fmt.Println(strings.Join(append([]string{install.NoPreemption}, flags...), "\n"))
	return err
}
