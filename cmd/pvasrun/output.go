package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// pipes are the named pipes that writable has opened. They stay open until they are written: the reader
// of a pipe takes its last writer's close for the end of the file.
var pipes = map[string]*os.File{}

// writable returns an error if a file can not be written later. It changes no file.
func writable(file string) error {
	if file == "" || pipes[file] != nil {
		return nil
	}
	info, missing := os.Stat(file)
	w, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK, 0o644) // waits for no reader of a pipe
	switch {
	case errors.Is(err, syscall.ENXIO):
		return fmt.Errorf("%w: no program reads the pipe: start one before, such as cat %s", err, file)
	case err != nil:
		return err
	case missing != nil:
		defer func() { _ = os.Remove(file) }()
	case info.Mode()&os.ModeNamedPipe != 0:
		pipes[file] = w
		return nil
	}
	return w.Close()
}

// writeNamed writes a file; all but the first have their name added before the ending.
func writeNamed(file, who string, i int, write func(io.Writer) error) (err error) {
	if file == "" {
		return nil
	}
	if i > 0 {
		ending := filepath.Ext(file)
		file = strings.TrimSuffix(file, ending) + "-" + who + ending
	}
	w := pipes[file]
	if delete(pipes, file); w == nil {
		if w, err = os.Create(file); err != nil {
			return err
		}
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	return write(w)
}
