package install

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// The runtime of the library uses no frame pointers on arm64, where a handler of signals destroys some.
//
// A function keeps the frame pointer of its caller in the word below its stack pointer there. A handler that a program
// has set without SA_ONSTACK runs on the stack of Go, and the kernel writes its frame into that word. Go code computes
// its own frame pointer anew and so does not depend on it. But the runtime follows two of these words whenever a
// goroutine enters a system call. It ends the process if what it finds is no address of the stack. A signal between
// the first instruction of that and the last would cause this. There are machines without frame pointers: the runtime
// asks getfp whether there are any. So the getfp of the library says that there are none. Only the runtime's tracer
// and profiles need them, which the library does not use.
const (
	framePointer   = "TEXT ·getfp<ABIInternal>(SB),NOSPLIT|NOFRAME,$0\n\tMOVD R29, R0\n"
	noFramePointer = "TEXT ·getfp<ABIInternal>(SB),NOSPLIT|NOFRAME,$0\n\tMOVD ZR, R0\n"
)

// overlay writes to a folder what the go command is to build in place of the runtime's own, and returns the flags that
// say so. env is that of the build. A runtime in which the place is not found stays as it is.
func (in *installation) overlay(ctx context.Context, dir string, env []string) (flags []string, err error) {
	arch := runtime.GOARCH
	if in.Target != nil {
		arch = in.Target.Arch
	}
	if arch != "arm64" {
		return nil, nil
	}
	cmd := exec.CommandContext(ctx, in.goCommand, "env", "GOROOT")
	cmd.Dir, cmd.Env, cmd.Stderr = in.source, env, in.Stderr
	root, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	return WithoutFramePointers(strings.TrimSpace(string(root)), dir)
}

// WithoutFramePointers is overlay for arm64, with the folder that Go is in.
func WithoutFramePointers(root, dir string) (flags []string, err error) {
	name := filepath.Join(root, "src", "runtime", "asm_arm64.s")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	changed := strings.Replace(string(text), framePointer, noFramePointer, 1)
	if changed == string(text) {
		return nil, nil
	}
	file, list := filepath.Join(dir, "asm_arm64.s"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		return nil, err
	}
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{name: file}})
	if err != nil {
		return nil, err
	}
	return []string{"-overlay", list}, os.WriteFile(list, replace, 0o600)
}
